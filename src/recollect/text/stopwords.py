"""Function words: they are part of a question, but not its subject.

They are marked in queries, but never dropped, and they are always in the index. `may` is left out on
purpose: it is also a month, and questions often name a month.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    and or but nor so if then than because as while until though although
    of at by for with about into through to from in on onto off over under out up down
    am is are was were be been being do does did doing done have has had having
    can could will would shall should might must ought not no
    what which who whom whose when where why how many much
    there here again also just only very too ever any some all both each such own same other
    please tell say said know let give show find get got help ask remember recall remind mention
    now nowadays currently presently still anymore lately
    hi hey hello ok okay yes yeah thanks thank well really actually maybe like
    im ive id ill dont doesnt didnt cant wont isnt arent wasnt whats wheres whos
    """.split()
)

RARE_IN_ANSWERS = frozenset(
    """
    order sequence first second third last latest earliest earlier later next before after between since until ago
    past passed previous previously recent recently current currently
    day days week weeks month months year years hour hours minute minutes time times date dates long often
    number total amount count sum average different type types kind kinds sort sorts thing things
    event events happen happened happening conversation conversations chat discuss discussed
    one two three four five six seven eight nine ten
    """.split()
)
"""Content words that ask for an order, a count, a time or a topic. An answer seldom contains them."""

REQUEST = r"\b(?:can|could|would|will|do|should) you\b(?! (?:remind|remember|recall)\b)"
"""A request to the assistant. "Can you remind me" is about what was said before; "can you suggest" is not."""

# Cut out of a run wherever they occur. The look-arounds keep ordinary words that contain them:
# 目的 (purpose), 的士 (taxi), 了解 (understand), 其他 (other), 吉他 (guitar), 几何 (geometry).
CHINESE = (
    "是什么时候|叫什么|为什么|是什么|什么时候|什么样|什么|怎么样|怎么办|怎么|怎样|如何|多少|多久|几点|几个|"
    "哪里|哪儿|哪个|哪些|哪位|哪一|有没有|是不是|能不能|可不可以|请问|请|告诉我|告诉|记得|知道|"
    "现在|目前|如今|眼下|"
    "我们|你们|他们|她们|它们|我|你|您|(?<![其吉])他|她|它|谁|这个|那个|这些|那些|一下|"
    "(?<!目)的(?![士确])|了(?!解)|是|吗|呢|啊|嘛|呀"
)

# Particles after a noun, polite endings and question words.
JAPANESE = (
    "(?<=[\u30a1-\u30fc\u4e00-\u9fff])[はがをのにでともへ]|ですか|です|ますか|ました|ます|何|どこ|いつ|誰|どれ|どの"
)

# Function characters that are often part of a word, so runs are not cut at them. Alone they are stop-words.
CHINESE_CHARACTERS = frozenset("的了是在吗呢吧啊嘛呀我你您他她它和与或也都就还很这那谁几个请把被")
