"""How are the files of other programs imported? `import_from(mind, path)` recognises the format."""

from .run import Imported as Imported
from .run import conversations_in as conversations_in
from .run import import_from as import_from
