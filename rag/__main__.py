"""``python -m rag`` → the shell."""

import sys

from rag.cli import main
from rag.models.turns import wait_asleep

wait_asleep()
sys.exit(main())
