from typing import Dict, Tuple, Union

class Instance:
    """An instance of the module. It serves one thread at a time; a concurrent call raises RuntimeError."""

    def __new__(cls, limit: int = 0) -> "Instance": ...
    def call(self, op: str, pieces: Tuple[bytes, ...]) -> Union[bytes, Tuple[str, str]]:
        """Runs an operation on a request that is given in pieces, and returns the answer. If the instance has ended
        during the call, returns the code and the message that say why; a new instance has then replaced it.

        Releases the GIL. Raises ValueError if there is no such operation.
        """

    def memory(self) -> Tuple[int, int, int, int]:
        """Returns the limit, the current and the peak memory of the module, in bytes, and the number of traps."""

def members(answer: bytes) -> Dict[str, bytes]:
    """Returns the members of a JSON object: the JSON of each value, unchanged, by key."""
