"""Finds names of people and places in Chinese text by the words around them.

Without a dictionary it finds only clear cases (我叫王小明, 张伟喜欢…, 李老师, 杭州, 复旦大学). A missed name
costs a link; a wrong name would make wrong links.
"""

from __future__ import annotations

import re
from functools import cache

_HAN = "\u4e00-\u9fff"
# The most frequent family names of the 2020 census, and the usual two-character ones.
_FAMILY = (
    "欧阳|上官|司马|诸葛|[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏"
    "吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦傅方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤]"
)
_TITLE = "先生|女士|小姐|老师|医生|教授|经理|主任|师傅|阿姨|叔叔|同学|律师|总"
_AFTER_NAME = (
    "喜欢|讨厌|不喜欢|爱|说|住在|住|是|在|去|来|有|没有|想|要|会|买|搬|养|"
    "每|昨|今|明|上周|下周|最|刚|的|和|跟|告诉|觉得|工作|负责"
)
_PLACES = (
    "北京|上海|广州|深圳|天津|重庆|杭州|南京|苏州|成都|武汉|西安|长沙|郑州|青岛|大连|厦门|宁波|无锡|福州|济南|合肥|昆明|"
    "哈尔滨|沈阳|长春|石家庄|太原|南昌|贵阳|南宁|海口|三亚|兰州|银川|西宁|拉萨|乌鲁木齐|呼和浩特|珠海|东莞|佛山|温州|桂林|丽江|"
    "香港|澳门|台北|高雄|台湾|新疆|西藏|内蒙古|云南|四川|广东|广西|浙江|江苏|山东|山西|河南|河北|湖南|湖北|福建|江西|安徽|"
    "海南|陕西|甘肃|青海|宁夏|贵州|辽宁|吉林|黑龙江|中国|美国|英国|法国|德国|日本|韩国|俄罗斯|加拿大|澳大利亚|新西兰|印度|泰国|"
    "越南|新加坡|马来西亚|西班牙|意大利|瑞士|瑞典|挪威|荷兰|东京|大阪|京都|首尔|曼谷|巴黎|伦敦|柏林|罗马|纽约|洛杉矶|旧金山|西雅图|"
    "悉尼|墨尔本|多伦多|温哥华|莫斯科|迪拜"
)
_INSTITUTION = "大学|学院|中学|小学|医院|公司|集团|银行|机场|酒店|餐厅|公园|博物馆|图书馆"
# Function words come before an institution's name and are not part of it.
_IN_A_NAME = "(?![我你他她它们这那一在去到的了和是叫个家过从于上给为])"
_BOUNDARY = f"(?:^|(?<=[^{_HAN}])|(?<=[和跟与给对向问让找把是叫到]))"

_NAME = (
    rf"(?:我叫|名叫|叫做|名字是|名字叫|叫)(?P<called>[{_HAN}]{{2,4}}?)(?=[^{_HAN}]|$|的|，|是|今年|在|住)"
    rf"|{_BOUNDARY}(?P<titled>(?:{_FAMILY})[{_HAN}]{{0,2}}?(?:{_TITLE}))"
    rf"|{_BOUNDARY}(?P<person>(?:{_FAMILY})[{_HAN}]{{1,2}}?)(?=(?:{_AFTER_NAME}))"
    rf"|(?P<familiar>[小老阿](?:{_FAMILY}|[明红丽芳强军华刚伟兰梅])(?![{_HAN}]?[学说大时]))"
    rf"|(?P<institution>(?:{_PLACES}|(?:{_IN_A_NAME}[{_HAN}]){{2,6}}?)(?:{_INSTITUTION}))"
    rf"|(?P<place>{_PLACES})"
    rf"|《(?P<title>[^》]{{1,32}})》"
)
_PEOPLE = frozenset({"person", "titled"})
# Everyday words that begin with a family name.
_NOT_PEOPLE = (
    r"周[一二三四五六日末]|周围|高兴|高中|高级|方便|方法|方面|马上|马路|白天|白色|金额|金钱|于是|何时|何必|常常|时间|"
    r"黄色|黄金|万一|江边|石头|田里|毛衣|毛病|龙虾|雷雨|夏天|秦朝|唐朝|宋朝|汤[很太]|钱[包很不都]|向[来前后]|任何|任务|余下|"
    r"许多|程序|程度|严重|武器|莫非|孔雀|叶子|林子|胡说|胡子|顾客|白酒|白菜|史上|龙年|马拉|高考|石油|杨树|罗列|段落|段时"
)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled at first use: they take longer than all other imports of this folder."""
    return re.compile(_NAME), re.compile(_NOT_PEOPLE)


def find_chinese_names(text: str) -> list[tuple[int, str]]:
    """Position and text of each name, in order."""
    if text.isascii():
        return []
    names, not_people = _patterns()
    found = []
    for match in names.finditer(text):
        kind = match.lastgroup or ""
        name = match[kind]
        if kind not in _PEOPLE or not not_people.match(name):
            found.append((match.start(kind), name))
    return found
