"""Protections of INT4 caches that the scripts compare."""

# Name, specification, code whose closed form holds.
PROTECTIONS = (
    ("none", "int4", None),
    ("Hamming(7,4)", "int4:code=hamming74", "hamming74"),
    ("Hamming(8,4)", "int4:code=hamming84", "hamming84"),
    ("H(8,4) + zero", "int4:code=hamming84,erasure=zero", "hamming84"),
    ("H(8,4) + interpolation", "int4:code=hamming84,erasure=interpolate", "hamming84"),
    ("Golay(24,12)", "int4:code=golay24", "golay24"),
)


def with_keys(cache, keys):
    """A cache specification with more keys, such as "ber=0.01"; the same without any."""
    return cache + (("," if ":" in cache else ":") + keys if keys else "")
