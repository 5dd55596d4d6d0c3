"""LangChain's standard tests for retrievers, on ours. tests/adapters/test_published.py runs them."""

from langchain_tests.integration_tests import RetrieversIntegrationTests

from recollect import Recollect
from recollect.adapters.langchain import RecollectRetriever


class TestRetriever(RetrieversIntegrationTests):
    retriever_constructor = RecollectRetriever
    retriever_query_example = "which tea does Ada drink?"

    @property
    def retriever_constructor_params(self):
        mind = Recollect(":memory:", embedder="hashing")
        mind.remember_many([{"text": f"Ada drinks {tea} tea"} for tea in ("green", "black", "white", "red")])
        return {"mind": mind}
