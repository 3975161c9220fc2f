from typing import Dict, Tuple, Union

class Instance:
    """An instance of the module, which serves one thread at a time: a second call at the same time raises RuntimeError."""

    def __new__(cls, limit: int = 0) -> "Instance": ...
    def call(self, op: str, pieces: Tuple[bytes, ...]) -> Union[bytes, Tuple[str, str]]:
        """Runs an operation on the pieces, joined. Code and message say why the instance has ended: it is new then.

        The interpreter's lock is released. Raises ValueError where there is no such operation.
        """

    def memory(self) -> Tuple[int, int, int, int]:
        """Bytes of the module's memory: the limit, those in use, the most there were. And how often it has trapped."""

def members(answer: bytes) -> Dict[str, bytes]:
    """The members of a JSON object, each with the JSON of its value as it stands there."""
