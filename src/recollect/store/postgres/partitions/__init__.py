"""Tables in partitions by tenant, on one server or spread over several with postgres_fdw."""
