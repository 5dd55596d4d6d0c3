"""Stories of what is purged and forgotten, and of what was replaced by it. pytest does not collect this."""

from changes.samples import (
    AGAIN,
    EDITED,
    HIDDEN_PORTO,
    HOME,
    HOME_AND_JOB,
    LONG,
    LYON,
    MOVED,
    OSLO,
    PORTO,
    TWICE,
    statuses,
)
from changes.stories import GONE, Story, forget, purge, remember, restore, supersede, talk, undo, update

PURGING = [
    Story(
        "the facts that only this turn states go with it",
        [talk("a", HOME, "The weather was nice and I drank tea.")],
        [purge("turn a/0")],
        {
            "turn a/0": GONE,
            "fact a/0 I live": GONE,
            "fact a/0 I work": GONE,
            "turn a/1": "active",
            "fact a/1": "active",
        },
    ),
    Story(
        "a fact that another turn states too stays and belongs to that turn",
        TWICE,
        [purge("turn a/0")],
        {"turn a/0": GONE, "turn b/0": "active", "fact b/0 I live": "active"},
    ),
    Story("the last turn that states a fact takes it along", TWICE, [purge("turn a/0"), purge("turn b/0")], {}),
    Story("both turns at once take the fact along", TWICE, [purge(granularity="turn")], {"fact a/0": GONE}),
    Story(
        "a session that is purged leaves a fact to the session that states it too",
        TWICE,
        [purge(session_id="a")],
        {"turn b/0": "active", "fact b/0": "active"},
    ),
    Story("a whole namespace leaves nothing", [talk("a", HOME), *TWICE[1:]], [purge(namespace="default")], {}),
    Story(
        "a fact can go alone", [talk("a", HOME)], [purge("fact a/0 I live")], HOME_AND_JOB | {"fact a/0 I live": GONE}
    ),
    Story(
        "a memory that the turn only repeats stays",
        [remember("I live in Porto."), talk("a", "I live in Porto.")],
        [purge("turn a/0")],
        {"turn a/0": GONE, "memory I live": "active"},
    ),
    Story(
        "a fact that somebody also remembered stays as a memory of its own",
        [PORTO, remember("I live in Porto.", at="2026-02-10")],
        [purge("turn a/0")],
        {"turn a/0": GONE, "memory I live": "active"},
    ),
    Story(
        "facts that an edited turn no longer states go too",
        EDITED,
        [purge("turn a/0")],
        statuses(GONE, "turn a/0", "fact a/0 I live", "fact a/0 I work as a n", "fact a/0 I work as a t")
        | statuses("active", "turn a/1", "turn a/2"),
    ),
    Story(
        "a forgotten fact of the turn goes too",
        [talk("a", HOME), forget("fact a/0 I work")],
        [purge("turn a/0")],
        {"fact a/0 I work": GONE, "fact a/0 I live": GONE},
    ),
    Story(
        "a fact whose other turn is forgotten stays with it, forgotten, and comes back with it",
        [*TWICE, forget("turn b/0"), purge("turn a/0")],
        [restore("turn b/0")],
        {"turn a/0": GONE, "turn b/0": "active", "fact b/0": "active"},
    ),
    Story(
        "what the turn's fact had replaced holds again",
        [PORTO, LYON],
        [purge("turn b/0")],
        {"turn a/0": "active", "fact a/0": "active", "turn b/0": GONE, "fact b/0": GONE},
    ),
    Story(
        "what a fact had replaced holds again when the fact stays with a forgotten turn",
        [PORTO, LYON, talk("c", "I moved to Lyon.", at="2026-07-10"), forget("turn c/0")],
        [purge("turn b/0")],
        {
            "turn a/0": "active",
            "fact a/0": "active",
            "turn b/0": GONE,
            "turn c/0": "forgotten",
            "fact c/0": "forgotten",
        },
    ),
    Story(
        "a fact that stays is replaced by what replaced its successor",
        [PORTO, talk("b", "I live in Porto. I moved to Lyon.", at="2026-06-10"), OSLO],
        [purge(session_id="b"), purge("turn c/0")],
        {"turn a/0": "active", "fact a/0": "active", "turn c/0": GONE},
    ),
    Story(
        "a near-duplicate from another turn takes the fact's place",
        [talk("a", LONG), talk("b", AGAIN, at="2026-02-10")],
        [purge("turn a/0")],
        {"turn a/0": GONE, "fact a/0": GONE, "turn b/0": "active", "fact b/0": "active"},
    ),
    Story(
        "a memory goes with its near-duplicates",
        [remember(LONG), remember(AGAIN)],
        [purge(f"memory {LONG}")],
        {f"memory {LONG}": GONE, f"memory {AGAIN}": GONE},
    ),
    Story(
        "a near-duplicate can go alone",
        [remember(LONG), remember(AGAIN)],
        [purge(f"memory {AGAIN}")],
        {f"memory {LONG}": "active", f"memory {AGAIN}": GONE},
    ),
]

FORGETTING = [
    Story(
        "facts are forgotten with their turn",
        [talk("a", HOME)],
        [forget("turn a/0")],
        dict.fromkeys(HOME_AND_JOB, "forgotten"),
    ),
    Story(
        "restoring the turn brings them back",
        [talk("a", HOME)],
        [forget("turn a/0"), restore("turn a/0")],
        HOME_AND_JOB,
    ),
    Story(
        "one undo brings them back", [talk("a", HOME)], [forget("turn a/0"), undo("turn a/0", "forget")], HOME_AND_JOB
    ),
    Story(
        "an undo that is undone forgets them again",
        [talk("a", HOME)],
        [forget("turn a/0"), undo("turn a/0", "forget"), undo("turn a/0", "undo")],
        dict.fromkeys(HOME_AND_JOB, "forgotten"),
    ),
    Story(
        "a fact that was forgotten before stays forgotten",
        [talk("a", HOME)],
        [forget("fact a/0 I work"), forget("turn a/0"), restore("turn a/0")],
        HOME_AND_JOB | {"fact a/0 I work": "forgotten"},
    ),
    Story(
        "and stays forgotten after an undo",
        [talk("a", HOME)],
        [forget("fact a/0 I work"), forget("turn a/0"), undo("turn a/0", "forget")],
        HOME_AND_JOB | {"fact a/0 I work": "forgotten"},
    ),
    Story(
        "a fact that another turn states too stays in sight",
        TWICE,
        [forget("turn a/0")],
        {"turn a/0": "forgotten", "turn b/0": "active", "fact b/0": "active"},
    ),
    Story(
        "it goes with the last of its turns and comes back with the first",
        TWICE,
        [forget("turn a/0"), forget("turn b/0"), restore("turn a/0")],
        {"turn a/0": "active", "turn b/0": "forgotten", "fact b/0": "active"},
    ),
    Story(
        "a session is forgotten without what another session states",
        TWICE,
        [forget(session_id="a"), forget(session_id="a")],
        {"turn a/0": "forgotten", "turn b/0": "active", "fact b/0": "active"},
    ),
    Story(
        "a forgotten session comes back turn by turn",
        [talk("a", HOME)],
        [forget(session_id="a"), restore("turn a/0")],
        HOME_AND_JOB,
    ),
    Story(
        "restoring one turn of a session leaves the other where it is",
        [talk("a", HOME, "The weather was nice and I drank tea.")],
        [forget(session_id="a"), restore("turn a/1")],
        dict.fromkeys(HOME_AND_JOB, "forgotten") | {"turn a/1": "active", "fact a/1": "active"},
    ),
    Story(
        "a status of forgotten is a forget",
        [talk("a", HOME)],
        [update("turn a/0", status="forgotten")],
        dict.fromkeys(HOME_AND_JOB, "forgotten"),
    ),
    Story(
        "a memory is forgotten with its near-duplicates and comes back with them",
        [remember(LONG), remember(AGAIN), forget(f"memory {LONG}")],
        [restore(f"memory {LONG}")],
        {f"memory {LONG}": "active", f"memory {AGAIN}": "consolidated"},
    ),
    Story(
        "no near-duplicate takes the place of what somebody forgot",
        [remember(LONG), remember(AGAIN)],
        [forget(f"memory {LONG}")],
        {f"memory {LONG}": "forgotten", f"memory {AGAIN}": "forgotten"},
    ),
    Story(
        "undoing the storing of a turn takes the facts of a later reading along",
        EDITED,
        [undo("turn a/0", "remember")],
        statuses("forgotten", "turn a/0", "turn a/1", "turn a/2", "fact a/0 I live")
        | statuses("forgotten", "fact a/0 I work as a n", "fact a/0 I work as a t"),
    ),
]

REPLACED = [
    Story("a new statement replaces an old one", [PORTO, LYON], [], MOVED),
    Story(
        "what it replaced holds again when it is forgotten",
        [PORTO, LYON],
        [forget("turn b/0")],
        {"turn a/0": "active", "fact a/0": "active", "turn b/0": "forgotten", "fact b/0": "forgotten"},
    ),
    Story("and is replaced again when it is restored", [PORTO, LYON], [forget("turn b/0"), restore("turn b/0")], MOVED),
    Story("or when the forgetting is undone", [PORTO, LYON], [forget("turn b/0"), undo("turn b/0", "forget")], MOVED),
    Story(
        "undoing the storing of the new statement does the same",
        [PORTO, LYON],
        [undo("turn b/0", "remember")],
        {"turn a/0": "active", "fact a/0": "active", "turn b/0": "forgotten", "fact b/0": "forgotten"},
    ),
    Story(
        "but not if another turn states it too",
        [PORTO, LYON, talk("c", "I moved to Lyon.", at="2026-07-10")],
        [undo("turn b/0", "remember")],
        HIDDEN_PORTO | {"turn b/0": "forgotten", "turn c/0": "active", "fact c/0": "active"},
    ),
    Story(
        "and storing it again after that too",
        [PORTO, LYON],
        [undo("turn b/0", "remember"), undo("turn b/0", "undo")],
        MOVED,
    ),
    Story(
        "the middle of three can go without a change for the first",
        [PORTO, LYON, OSLO],
        [purge("turn b/0")],
        HIDDEN_PORTO | {"turn b/0": GONE, "fact b/0": GONE, "turn c/0": "active", "fact c/0": "active"},
    ),
    Story(
        "the first holds again when all that replaced it is purged",
        [PORTO, LYON, OSLO],
        [purge("turn b/0"), purge("turn c/0")],
        {"turn a/0": "active", "fact a/0": "active"},
    ),
    Story(
        "the first holds again when all that replaced it is forgotten",
        [PORTO, LYON, OSLO],
        [forget("turn b/0"), forget("turn c/0")],
        {"turn a/0": "active", "fact a/0": "active"}
        | statuses("forgotten", "turn b/0", "fact b/0", "turn c/0", "fact c/0"),
    ),
    Story(
        "what comes back while something newer holds is replaced at once",
        [PORTO, LYON, forget("turn b/0"), OSLO],
        [restore("turn b/0")],
        HIDDEN_PORTO | {"turn b/0": "superseded", "fact b/0": "superseded", "turn c/0": "active", "fact c/0": "active"},
    ),
    Story(
        "a memory that was superseded by hand holds again when its successor is purged",
        [
            remember("Ada prefers dark mode"),
            remember("Ada likes bright screens"),
            supersede("memory Ada p", "memory Ada l"),
        ],
        [purge("memory Ada l")],
        {"memory Ada p": "active", "memory Ada l": GONE},
    ),
    Story(
        "one that was forgotten meanwhile stays forgotten",
        [PORTO, LYON, forget("turn a/0")],
        [purge("turn b/0")],
        statuses("forgotten", "turn a/0", "fact a/0"),
    ),
    Story(
        "and is not superseded by nothing when it is restored",
        [PORTO, LYON, forget("turn a/0"), purge("turn b/0")],
        [restore("turn a/0")],
        {"turn a/0": "active", "fact a/0": "active"},
    ),
    Story(
        "two that replaced it must both go",
        [
            remember("Ada prefers dark mode"),
            remember("Ada likes bright screens"),
            remember("The office paints its walls white"),
            supersede("memory Ada p", "memory Ada l"),
            supersede("memory Ada p", "memory The"),
        ],
        [forget("memory Ada l")],
        {"memory Ada p": "superseded", "memory Ada l": "forgotten", "memory The": "active"},
    ),
]
