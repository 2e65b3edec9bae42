"""Arguments of peers' functions that say what is not there yet."""


def refuse(**arguments):
    """Raises NotImplementedError for the first argument that asks for anything."""
    for name, value in arguments.items():
        if value is not None and not (isinstance(value, (int, float, bool)) and not value):
            raise NotImplementedError(f"{name}: this is not there yet in attn_mlir; expected its default, but got {_short(value)}")


def _short(value):
    shape = getattr(value, "shape", None)
    return f"an array of shape {tuple(shape)}" if shape is not None else repr(value)
