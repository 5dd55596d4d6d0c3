import numpy as np
import onnxruntime as ort
import pytest

from recollect.embedders import onnx_bytes


@pytest.mark.parametrize(
    ("number", "written"), [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (1 << 32, "8080808010")]
)
def test_a_varint_has_seven_bits_a_byte_lowest_first(number, written):
    assert onnx_bytes._varint(number).hex() == written


def test_fields_carry_their_number_and_kind():
    assert onnx_bytes._field(1, 150).hex() == "089601"
    assert onnx_bytes._field(2, "testing").hex() == "120774657374696e67"
    assert onnx_bytes._field(3, 1.0).hex() == "1d0000803f"


def scaled_norm() -> bytes:
    scale, bias = np.full(4, 2, np.float32), np.ones(4, np.float32)
    nodes = [onnx_bytes.node("LayerNormalization", ["x", "scale", "bias"], ["y"], epsilon=0.5)]
    x, y = (onnx_bytes.value(name, onnx_bytes.FLOAT, ["rows", 4]) for name in "xy")
    return onnx_bytes.model(nodes, {"scale": scale, "bias": bias}, [x], [y])


def test_onnxruntime_runs_a_written_model():
    session = ort.InferenceSession(scaled_norm(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": np.array([[1, -1, 1, -1]], np.float32)})
    expected = 2 / np.sqrt(1.5) * np.array([[1, -1, 1, -1]]) + 1
    assert np.allclose(y, expected, atol=1e-6)


def test_the_onnx_package_finds_a_written_model_correct():
    onnx = pytest.importorskip("onnx")
    onnx.checker.check_model(onnx.load_from_string(scaled_norm()), full_check=True)
