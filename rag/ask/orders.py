"""The signs by which a sentence speaks to the machine that reads it and not to the staff: one pattern and its points each.

Patterns marked `masked` are looked for in `rag.ask.unmask.unmasked` text (quotes as ``"``, colons, no other punctuation), the
others in folded text. A blank in a pattern may be missing in the text. Four points flag a sentence (`rag.ask.suspicious`):
a sign that ordinary policies do not hold has four, one that they hold now and then two, and one that only adds up one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rag.types import Reason


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern, the points it gives, and what it shows. `forbids`: it does not count where what it names is forbidden or blamed."""

    reason: Reason
    points: int
    pattern: re.Pattern[str]
    masked: bool = True
    forbids: bool = False

    def find(self, text: str) -> re.Match[str] | None:
        """Where it stands first in a text."""
        for match in self.pattern.finditer(text):
            if match.end() == match.start() or (
                self.forbids and _FORBIDDEN.search(text, max(0, match.start() - _BEFORE), match.start())
            ):
                continue
            if not (self.reason == "override" and _of_strangers(text, match)):
                return match
        return None


_BEFORE: Final = 16
# Right before a verb: somebody must not do it, or is blamed for it.
_FORBIDDEN: Final = re.compile(
    r"(?:不得|不可|不能|不应|不准|不许|禁止|严禁|切勿|防止|避免|擅自|随意|故意).{0,8}$|(?:如|若|已)(?:果|您|你)?已?经?(?:完成|办理|提交|缴|处理|填|知悉|阅读).{0,10}$"
    r"|(?:not|never|who|employees?|staff|users|anyone|without|prevents?|(?:fail(?:s|ure|ing)?|refus[a-z]+|attempt[a-z]*|tr(?:y|ies|ying)) to) ?$"
)


# Mail and the like, in which somebody may order the staff about; whose it is stands before the first word for an order.
_STRANGE = r"(?:来历不明|来路不明|陌生|可疑|身份不明|未知来源|未经核实|诈骗|钓鱼|(?:邮件|短信|电话|来电|微信|传真)(?:中|里|内|上)?的?)"
_STRANGERS: Final = re.compile(
    rf"[^令求示则定话息]{{0,14}}{_STRANGE}|[a-z ]{{0,24}}(?:instructions?|requests?|requirements?|directions?|commands?|messages?|content) ?(?:contained |received |sent )?(?:in|from|by) ?(?:an? ?|any ?|the ?)?(?:suspicious|unknown|unsolicited|unverified|phishing|spam|strangers?|callers?|e ?mails?|text ?messages?)"
)
_LETTER: Final = re.compile(r"(?:邮件|短信|电话|来电|信息|传真)(?:时|后)?(?:应当?|请|须|要|可)?$")
# What the machine itself was told: never a stranger's.
_OWN: Final = re.compile(
    r"以上|上述|上面|前面|前文|上文|系统|初始|开发者|你|妳|您|此前的|之前的|先前的|所有之前|设定|提示词|above|previous|prior|earlier|system|your|preceding|initial|prompt"
)


# And more than a stranger's message is to be ignored.
_MORE: Final = re.compile(
    r"(?:和|及|与|以外|之外|除).{0,8}(?:指令|规则|规定|限制|约束)|邮件(?:规则|指令)|and ?(?:all ?|any ?|the ?|other ?)*(?:rules|instructions?|restrictions)"
)


def _of_strangers(text: str, match: re.Match[str]) -> bool:
    """Whether what is to be ignored came by mail and the like, as staff are told to."""
    words, at = match.group(), match.start()
    if _OWN.search(words) or _MORE.search(text, at, match.end() + _BEFORE * 2):
        return False
    within = words[2:6].startswith(("其中", "里面", "信中"))
    return bool(_STRANGERS.match(text, at) or (within and _LETTER.search(text, max(0, at - _BEFORE), at)))


# What instructions to the machine are called: always (_ORDERS), or also rules of a company (_WORDS).
_ORDERS = r"(?:指令|提示词|提示语|提示工程|系统提示|系统设定|系统消息|人设|设定|咒语|(?<!system )prompts?|(?<=system )prompts?(?![a-z])(?! (?:the|you|users?|for)(?![a-z]))|instructions?|directives?)"
_WORDS = r"(?:规则|规定|要求|命令|限制|约束|内容|提示|指示|说明|资料|材料|文字|对话|上下文|准则|守则|约定|话|rules?|guidelines?|commands?|directions?|text|content|contexts?|messages?|constraints?|restrictions?|polic(?:y|ies)|told|said|training)"
_EARLIER = r"(?:以上|上述|上面|前面|之前|先前|此前|前述|前文|上文|在此之前|所有|一切|全部|任何|你的|你所?(?:收到|得到|接到|被)|原有|原来|原先|原本|既有|系统|初始|开发者|默认|其他|其它|后面|后续|previous|prior|above|preceding|earlier|foregoing|existing|original|initial|system|all|any|every(?:thing)?|your|other|former|past)"
_DROP = r"(?:忽略|忽视|无视|忘记|忘掉|忘了|忘却|抛开|抛弃|丢弃|丢掉|舍弃|放弃|不要理会|不用理会|不必理会|不要理睬|别理会|别理|不要管|不用管|不必管|别管|不要在意|不要遵守|不再遵守|不必遵守|不用遵守|无需遵守|停止遵守|不要遵循|不再遵循|不必遵循|无需遵循|停止遵循|不要执行|停止执行|不要听从?|ignor(?:e|ing)|disregard(?:ing)?|forget(?: about)?|bypass(?:ing)?|discard(?:ing)?|neglect|stop (?:following|obeying)|(?:do not|don t|no longer|never) (?:follow|obey|comply with|apply|adhere to|listen to)|pay no attention to|set aside|throw (?:away|out)|abandon)"
_UNDO = r"(?:覆盖|取代|推翻|撤销|取消|清空|清除|跳过|绕过|绕开|突破|删除|作废|废除|重置|屏蔽|违反|解除|cancel|erase|void|reset|replace|override|overrule|supersede|delete|clear|remove|dismiss|drop|skip)"
_MODEL = r"(?:人工智能|人工智慧|语言模型|大模型|智能助手|智能助理|ai助手|ai助理|聊天机器人|问答机器人|自动化?(?:系统|程序|问答|审核系统)|智能客服|问答助手|问答系统|通义千问|机器人助手|虚拟助手|(?<![a-z])(?:ai|a i|llms?|gpt|chat ?gpt|chat ?bots?|qwen|claude|gemini|copilot|deepseek|language models?|ai (?:assistants?|models?|agents?|systems?)|virtual assistants?|automated (?:systems?|agents?|readers?|assistants?|tools?)|assistant model)(?![a-z]))"
_SAY = r"(?:回答|回复|回覆|回应|答复|作答|应答|输出|answer(?:s|ing)?|reply(?:ing)?|replies|respon[ds](?:e|es|ing)?|output(?:s|ting)?)"
_TELL = rf"(?:{_SAY}|说|写|声称|宣称|返回|打印|say(?:ing)?|state|print|write|return|claim|tell)"
_SPEAK_UP = r"(?:输出|打印|复述|重复|泄露|透露|公开|告诉|告知|说出|列出|展示|显示|给出|返回|翻译|总结|概括|写出|念出|附上|贴出|交出|暴露|reveal|print|output|show|repeat|display|disclose|expose|leak|share|recite|echo|dump|return|summari[sz]e|translate|tell (?:me|us|the user)|write (?:out|down)|include|quote|list|give|copy)"
_SECRET = r"(?:系统提示词|提示词|system ?prompts?(?![a-z])(?! (?:the|you|users?|for)(?![a-z]))|(?:你|您)的?(?:全部|所有|完整|内部|隐藏|初始|原始|系统)*(?:指令|规则|设定|配置|提示|密钥)|(?:初始|隐藏|内部|原始)的?(?:指令|提示|设定)|(?:你|您)(?:所|被)?(?:收到|接收到?|得到|给定|设定)的|your (?:own |initial |original |hidden |system |full |secret |exact |internal |entire |complete )*(?:instructions?|prompts?|rules|guidelines|configuration|directives?)|(?:initial|hidden|secret|original) (?:prompts?|instructions?)|(?:text|words|everything|instructions?|prompts?|conversation|messages?) (?:written |given |shown )?(?:above|before this)|(?:above|preceding|previous) (?:text|prompts?|instructions?|conversation|messages?) (?:verbatim|word)|prompt verbatim|developer message|(?:rules|instructions?|prompts?|guidelines|configuration|context|messages?) (?:that )?you (?:were|have been|are|got|received))"
_ASKED = r"(?:无论|不管|不论|任凭|whatever|no matter (?:what|which|how|who)|regardless of|irrespective of)"
_EVERY = r"(?:(?:所有|任何|一切|每个|每一个|全部|不管什么|无论什么|无论何种|各种)的?(?:用户|员工)?的?(?:问题|提问|询问|查询|请求|对话|回答|回复|输入)|(?:every|all|any|each) (?:of )?(?:the |your |user |future |further |following |subsequent |other )?(?:questions?|quer(?:y|ies)|requests?|inputs?|prompts?))"
_END = r"(?:开头|开始|末尾|结尾|最后|最前面?|后面|前面|尾部|结束处?|首句|第一句|最后一句)"
_PUT = r"(?<![a-z])(?:append|add|include|insert|put|begin|start|end|prefix|finish|sign|close|prepend|place|attach|mention|conclude|open|precede|follow|recommend|embed)(?![a-z])"
_ANSWERS = r"(?:answers?|responses?|repl(?:y|ies)|outputs?)"
_USER = r"(?:用户|提问者|提问的?人|使用者|读者|对方|访问者|the users?|users|the (?:reader|person|employee|asker|customer)(?: asking)?)"


# A blank of a pattern, or a look behind, whose width is fixed.
_BLANK = re.compile(r"(\(\?<[!=][^)]*\))| ")

# The beginning of a sentence, of a quotation or of what follows a colon, and by what one begins who turns to somebody.
_HAIL = r"(?:^|\"|:)(?:致|给|告|写给|通知|提醒|特别提醒|请|注意|attention|attn|dear|hey|hello|hi|note|message|notice|reminder|instructions?|memo|important|for|to|ok|okay)?:? ?(?:to|for|from)? ?(?:all|any|the|an?|every)? ?(?:各位|所有|任何|本|正在.{0,8}的)?"


def _sign(reason: Reason, points: int, pattern: str) -> Sign:
    spaced = _BLANK.sub(lambda m: m.group(1) or " ?", pattern)
    return Sign(reason, points, re.compile(spaced), forbids=reason in ("override", "role", "reveal", "act", "dictate"))


def _raw(reason: Reason, points: int, pattern: str) -> Sign:
    return Sign(reason, points, re.compile(pattern, re.M), masked=False)


# fmt: off
SIGNS: Final = (
    # lay aside what was said before
    _sign("override", 4, rf"{_DROP}.{{0,12}}{_EARLIER}.{{0,16}}(?:{_ORDERS}|{_WORDS})"),
    _sign("override", 4, rf"{_DROP}.{{0,10}}{_ORDERS}|{_DROP}.{{0,10}}{_WORDS}.{{0,14}}(?:above|before|earlier|previously|so far|up to now)"),
    _sign("override", 2, rf"{_DROP}.{{0,10}}(?:问题|提问|question|user)"),
    _sign("override", 4, rf"{_UNDO}.{{0,10}}{_EARLIER}.{{0,8}}(?:{_ORDERS}|(?:安全|内容)(?:限制|策略|过滤|审查))"),
    _sign("override", 4, rf"(?:把|将).{{0,14}}(?:{_ORDERS}|{_WORDS}).{{0,8}}(?:忘掉|忘记|忽略|无视|抛开|抛弃|丢弃|作废|清空|覆盖)"),
    _sign("override", 4, rf"{_EARLIER}.{{0,8}}{_ORDERS}.{{0,10}}(?:作废|失效|无效|取消|废止|撤销|不再|不算|过时|void|invalid|cancel|obsolete|no longer|replaced|superseded|expired)"),
    _sign("override", 4, r"(?:新|最新|真正|实际|隐藏|特别|秘密|紧急|更新后?)的?(?:系统)?(?:指令|提示词)|(?:new|updated|real|actual|hidden|secret|revised) (?:system )?(?:instructions?|prompts?|directives?)(?! manual)"),
    _sign("override", 2, r"(?:你的?|真正的?|新的?|接下来的?)任务(?:是|:|变为|改为)|your (?:new |real |actual |only |next )?(?:task|job|goal|objective|mission|purpose) (?:is|now|:)|new (?:rule|policy):"),
    _sign("override", 4, r"new (?:task|mission|objective):|(?:新|真正|实际)的?任务:"),
    _sign("override", 4, rf"(?:优先于|高于|凌驾于?|覆盖|优先级(?:高于|超过)|takes? (?:precedence|priority) over|overrides?|supersedes?|outranks?).{{0,12}}{_EARLIER}.{{0,8}}(?:{_ORDERS}|rules given)"),
    _sign("override", 2, r"优先级最高|最高优先级|最高权限|highest priority|top priority instruction|以下(?:内容|文字|规则|要求)为准|以本(?:段|条|句)为准"),
    _sign("override", 2, rf"{_DROP}.{{0,8}}(?:everything|all of (?:it|this|that|the above)|the above|what (?:you|was)|(?:以上|上面|之前|前面)的?(?:一切|所有|全部))"),
    # become something else
    _sign("role", 4, r"(?:你|妳)(?:现在|如今|今后|接下来|此后|从此|已经)(?:就|将|要)?(?:是|不是|不再是?|扮演|充当|变成|变为|成为|进入|处于|切换|作为|被)|(?:现在|从此|从现在起)起?(?:,)?(?:你|妳|您)(?:就|将|要)?(?:是|不是|不再|扮演|充当|变成|变为|成为|进入|处于|作为)"),
    _sign("role", 4, r"从(?:现在|此刻|这一刻|这里|今|此|本段|这句话?)(?:时)?(?:起|开始|以后|之后)(?:你|妳|您)?.{0,8}(?:你|妳|您|只|扮演|回答|回复|输出|忽略|无视)"),
    _sign("role", 4, r"(?:请|你|妳|您)(?:要|将|需要?|必须|来|应该?|现在)?(?:扮演|假扮|假装|假设你|装作|伪装|充当)|(?:假装|假设|想象)(?:你|妳|自己)(?:是|没有|不受|可以)|扮演(?:一个|一名|一位)"),
    _sign("role", 4, r"(?:进入|切换到?|切换为|启用|开启|激活|解锁|处于).{0,6}(?:开发者|调试|上帝|越狱|无限制|不受限|dan|超级|自由|最高权限|god|root|管理员).{0,2}(?:模式|状态)"),
    _sign("role", 4, r"(?:enter|enable|activate|switch(?:ed)? (?:to|into)|engage|now in|you are in|unlock)(?:ed|ing)? .{0,14}(?:developer|debug|god|dan|jailbreak|unrestricted|admin|maintenance|root|sudo|override|test(?:ing)?) mode"),
    _sign("role", 4, r"(?<![a-z])you (?:are|re|will be|shall be|must be|become) (?:now|no longer|hereby|henceforth|from now on)(?! (?:entitled|able|eligible|required|allowed|ready|enrolled|registered|logged|connected|invited|part|covered|expected|responsible|subject|on|at|signed|bound|obliged))|from (?:now|here|this point|this moment) (?:on|onwards?|forward)(?: you)? (?:are|act|must|only|always|never|answer|reply|respond|output|speak|ignore|every (?:answer|reply|response|question))|(?<![a-z])(?:now|henceforth) you (?:are|re|will|must|shall)(?![a-z])"),
    _sign("role", 4, r"(?<![a-z])you (?:are|re) (?:an? |the |my |our )?(?:[a-z]+ ){0,3}(?:assistant|chatbot|bot|language model|ai|llm|hacker|pirate|dan|oracle|persona|model)(?![a-z])|pretend (?:to be|you|that you|as if)|role ?play (?:as|a|an|the)(?![a-z])|(?:^|step \d:?|you(?:r task is to| are to| will| must| should)?|then|now|and) ?(?:take on|assume|adopt) the (?:role|persona|identity)|jailbr(?:eak|oken)"),
    _sign("role", 2, r"^(?:now |please |you (?:must|will|should|shall|need to|have to) )*(?:act|behave|respond|speak) (?:as|like) (?:if |though |an? |the )|你(?:是|将是|就是)(?:一个|一名|一位|一只)|越狱|(?:没有|不受)(?:任何|一切)?(?:限制|约束|审查)|no (?:restrictions|limits|filters|rules)|unrestricted|unfiltered|without (?:any )?(?:restrictions|filters)"),
    # the chat's own marks
    _raw("markup", 2, r"<\|[^|<>\n]{1,30}\|>"),
    _raw("markup", 4, r"<<\s*/?\s*sys\s*>>|\[\s*/?\s*(?:inst|system|assistant|system prompt|系统指令|系统提示词?)\s*\]|\{\{\s*#?(?:system|user|assistant)"),
    _raw("markup", 4, r"<\s*/?\s*(?:system|assistant|instructions?|documents?|context|prompt|rules|human|evidence|sources?|tool_call|tool|function_calls?|系统|系统提示|系统指令|文档|指令|助手|资料|参考资料|提示词|规则|问题)(?:[-_ ][\w-]{1,20})?\s*/?\s*>"),
    _raw("markup", 4, r"^\W{0,4}(?:system|系统)\s*(?:prompt|override|instruction|command|提示词|指令|命令|指示|覆盖|管理员指令)s?\s*\W{0,3}[:\]】>]"),
    _raw("markup", 4, r"#{2,}\s*(?:system|instructions?|new instructions?|response|assistant|human|prompt|系统|指令|系统指令|新指令|回答|助手)\s*(?:[:#]|$)|[【\[]\s*(?:系统|system|管理员|admin|开发者|developer)\s*(?:消息|指令|提示词?|通知|命令|覆盖|override|message|prompt|instruction|note)?\s*[】\]](?!\s*(?:[^\n。！？!?，,：:“\"]{0,12}(?:系统|平台|软件|模块)|[a-z0-9]{1,8}|[\u4e00-\u9fff]{1,2})\s*(?:[、。；;\n]|$))"),
    _raw("markup", 4, r"(?:-{2,}|={2,}|\*{2,}|#{2,}|【|\[|\()\s*(?:end of (?:the )?(?:documents?|context|material|evidence|sources?|text|file|prompt|data)|(?:begin|start) (?:of )?(?:new |system )?(?:instructions?|prompt)|(?:参考)?(?:资料|文档|材料|文件|证据|上下文)(?:到此)?(?:结束|完毕|完)|以下(?:是|为)(?:系统|新)?指令)"),
    _raw("markup", 2, r"^\W{0,4}(?:system|assistant|developer|user|human|系统|系统消息|系统提示|助手|ai助手|ai|用户|管理员)\s*(?:message|消息)?\s*:|end of (?:the )?(?:documents?|context|material|evidence)|(?:参考资料|文档|材料)(?:到此)?(?:结束|完毕)"),
    _raw("markup", 4, r"<\s*script|javascript:|on(?:error|load|click)\s*=|data:text/html"),
    # what it was told
    _sign("reveal", 4, rf"{_SPEAK_UP}.{{0,24}}{_SECRET}"),
    _sign("reveal", 4, rf"(?:把|将).{{0,6}}(?:{_SECRET}|系统提示|以上(?:所有)?(?:文字|内容|对话)).{{0,14}}(?:原样|逐字|完整|一字不[差漏]|全部)?.{{0,4}}{_SPEAK_UP}"),
    _sign("reveal", 4, r"(?:what|which) (?:is|are|were) your (?:system |initial |original )?(?:instructions?|prompts?|rules)|(?:逐字|原样|一字不[差漏]地?).{0,6}(?:输出|打印|复述|重复)"),
    _sign("reveal", 2, r"系统提示词|system ?prompts?(?![a-z])(?! (?:the|you|users?|for)(?![a-z]))|提示词|your (?:instructions|prompt|guidelines|training)|verbatim|(?:你的|您的)(?:指令|规则|设定|系统提示)"),
    # what the answer is to be
    _sign("dictate", 2, rf"{_ASKED}.{{0,14}}(?:问|询问|提问|说|输入|提出|ask|question|said|say|quer|type|request)|{_EVERY}|{_ASKED}.{{0,6}}(?:问题|question)"),
    _sign("dictate", 2, rf"(?:只|仅)(?:能|需|准|许|可以?|要|应|允许|得)?(?:用|以|要)?.{{0,3}}{_SAY}|(?:一律|统统|永远|始终|总是|务必|直接|必须|一概|原封不动地?)(?:都|只|要|用)?.{{0,2}}(?:回答|回复|回覆|输出|作答|声称|回应)|(?<![a-z])(?:only|always|just|simply|solely|must only|exactly|shall only|nothing but) (?:ever )?(?:answer|reply|respond|output|say|print|state|return)(?![a-z])|(?<![a-z])(?:answer|reply|respond|output|say|print|state|return)(?: back)? (?:only|just|exactly|solely|always|nothing but|nothing else|with only|with exactly|with just|with nothing|with the (?:exact|single|following|word|phrase|sentence|text|code))"),
    _sign("dictate", 2, r"(?:回答|回复|回覆|回应|答复|作答|应答|输出|声称|宣称|返回|打印|写|(?:就|请|只|要|都|必须|一律)说|说成|说是)(?:出|为|是|成|以下|下列|如下|这句话?|文字|一句|字样|内容|固定|:){0,8}\"|(?<![a-z])(?:answer|reply|respond|output|print|say|state|return|write|claim)(?: (?:back|only|exactly|with|that|as|the|words?|phrase|sentence|text|string|this|following|single|just|simply))+ ?:? ?\"|(?<![a-z])(?:answer|reply|respond|output|print|say|return|write|type):\"|(?:^|(?<![a-z])(?:must|should|please|only|just|always|then|to|and|simply) )(?:answer|reply|respond|output|print|say|return|write|type) ?\""),
    _sign("dictate", 4, rf"(?:回答|答案|输出|回应|回覆|每句话?|每一句话?|每段话?).{{0,6}}{_END}.{{0,10}}(?:加|附|添|写|插入|包含|注明|声明|显示|使用|署名|补充|带上|提及|推荐|宣传|放|输出|给出|必须|都要|提醒|贴)|在.{{0,6}}(?:回答|答案|输出|回应|回复)(?:的|之)?(?:{_END}|中|里|之?后|之?前).{{0,8}}(?:附上|加上|附加|插入|添加|加入|写上|带上|推荐|宣传|附带|放上|提及|嵌入)"),
    _sign("dictate", 4, r"(?:回答|回复|答案|输出|每句话|每段|回应).{0,8}(?:必须|应|要|都|请|均|一律|只)?以.{1,20}(?:开头|结尾|开始|结束|收尾|作为(?:开头|结尾))|以.{1,20}(?:开头|结尾|开始|结束).{0,4}(?:你的)?(?:回答|回复|答案|输出|回应)"),
    _sign("dictate", 4, r"(?:你|妳)的?(?:所有|每次|每个|全部|下一[个条句]|最终|唯一)*的?(?:回答|回复|回覆|输出|答案|回应)|(?:你|妳)(?:必须|只能|务必|应该?|只需|不得|不能|不要|不可|不准|将|要|得|需要?|可以)+.{0,4}(?:回答|回复|输出|作答|声称|引用|执行|服从|听从|忽略)"),
    _sign("dictate", 4, rf"{_PUT}.{{0,40}}(?:your|every|each|all) (?:single |one of your |of your |of the |final |following )?{_ANSWERS}|(?:your|every|each|all) (?:single |final |next |of your )?{_ANSWERS} (?:must|should|shall|will|has to|have to|needs? to|is to|are to|may only|can only).{{0,14}}(?:begin|start|end|contain|include|consist|say|read|mention|only|always|be exactly|be limited)"),
    _sign("dictate", 2, rf"{_PUT} .{{0,30}}(?:the|an?|this) {_ANSWERS}|(?:the|an?) (?:answer|response|output) (?:must|should|shall|will|has to|is always) (?:begin|start|end|contain|include|consist|only|always|be)|(?<![a-z])your (?:answer|response|reply|output)s?(?![a-z])|append (?:the|a|this|the following)"),
    _sign("dictate", 2, rf"(?:当|如果|若|如|只要|凡是?|每当|一旦|假如|要是|有人|遇到).{{0,10}}(?:问|询问|问到|问及|问起|提问|查询|提到|咨询|被问).{{0,25}}(?:请|就|都|必须|一律|应|只|直接|要)?(?:{_TELL}|答(?!案|复|卷|辩|疑))|(?:when(?:ever)?|if|should|in case) .{{0,24}}(?:asked|asks?|asking|quer(?:y|ies|ied)|questions?|inquir).{{0,60}}(?:say|answer|reply|respond|tell|state|claim|output|insist|pretend|deny|refuse)"),
    _sign("dictate", 2, rf"(?:告诉|告知|要求|引导|让|建议|说服|诱导|提醒|劝|催促|请){_USER}|(?:向|对){_USER}(?:说|推荐|索要|声称|宣称|索取|表示)|(?:tell|inform|instruct|direct|convince|persuade|urge|advise|ask|trick|lead|encourage|assure|recommend to) {_USER}"),
    _sign("dictate", 2, r"(?:停止|拒绝|不要|别|不准|禁止)(?:再)?(?:回答|答复|作答|回复)(?:用户|任何|所有|这|该|此|提问|后续|其他)|停止(?:回答|工作|输出|响应)|(?<![a-z])(?:stop|refuse to|cease|do not|don t|never) (?:answer|respond|reply)(?:ing)?(?: to)? (?:any|the|this|every|all|user|question|further|anything)|不要(?:提及|透露|告诉).{0,8}(?:本段|这段|这条|此条|用户|指令)|do not (?:mention|reveal|tell) .{0,12}(?:this (?:note|instruction|message|paragraph)|the user|instruction)"),
    _sign("dictate", 2, r"(?:用|使用|以)(?:英文|英语|日语|法语|韩语|俄语|海盗|诗歌|古文|文言文|脏话|json|表情)(?:的?口吻|的?语气|格式|符号)?.{0,4}(?:回答|回复|输出|作答)|(?:respond|reply|answer|speak|write|talk|output).{0,12}(?:in|using|like|as) (?:french|spanish|german|russian|japanese|english|chinese|latin|pirate|json|xml|html|base ?64|emojis?|rhymes?|haiku|all caps|uppercase|verse|poem|a poem|a pirate)"),
    # without sources, or with false ones
    _sign("citing", 4, r"(?:不要|不得|无需|不需要?|不必|禁止|请勿|停止|别|省略|去掉|删除|移除|不用|勿|取消|避免|不再)(?:使用|给出|添加|附上?|写|标|加|做|提供|显示|出现|任何|所有|一切)*(?:引用(?:标注|标记|编号|来源|资料)|来源标注|来源编号|资料编号|参考编号|\"?s\d)"),
    _sign("citing", 2, r"(?:不要|无需|不需要?|不必|请勿|停止|别|省略|去掉|删除|移除|不用|取消|不再)(?:使用|给出|添加|附上?|写明?|标注?|标明|注明|加|做|提供|显示|任何|所有|一切)*(?:引用|来源|出处|标注|编号|参考文献)"),
    _sign("citing", 4, r"(?:do not|don t|never|without|stop|refrain from|avoid|no need to) (?:cit(?:e|ing)|(?:includ|us|add|giv|provid|writ|mak)(?:e|ing) (?:any |a )?(?:citations?|source (?:markers?|numbers?)|reference (?:markers?|numbers?))) ?(?:$|\"|any|sources?|this|the source|your|it|anything|citations?|in)|(?:omit|drop|remove|strip|leave out|skip|suppress) (?:all |the |any |your )?(?:citations?|citation markers|source markers|reference numbers)"),
    _sign("citing", 4, r"(?:引用|标注|标为|注明|标记|改为|改成|归于|cite|cited as|citing|attribute (?:it |this |that |all |everything )?to)(?:为|成|来源|资料|所有|全部|的|都|一律|as|it|only|always|source|everything|to| |\"){0,6}\"?s ?\d{1,2}(?![a-z0-9])"),
    # do something
    _sign("act", 4, r"(?<!不要)(?:发送|上传|转发|提交|传送|外传|泄露|发到|传给|发给|(?:send|forward|exfiltrate|post|upload|transmit|e ?mail|leak)).{0,24}(?:对话(?:记录|内容|历史)|聊天记录|提示词|上下文|conversations?|chat (?:history|logs?)|prompts?(?![a-z])|the (?:users? s? ?)?(?:questions?|queries|answers?) to|system message)"),
    _sign("act", 4, r"(?:将|把).{0,14}(?:对话|聊天记录|提示词|上下文|系统提示).{0,10}(?:发送|上传|转发|提交|传送|外传|泄露|发到|传给|发给)"),
    _sign("act", 2, r"(?:将|把).{0,10}(?:用户|提问者|对方)的?.{0,12}(?:发送|发到|上传|传|转发|提交|附加|拼接|填入)|(?:send|forward|post|upload|transmit|leak|e ?mail) .{0,20}(?:users?|their|personal) ?s? ?(?:data|input|quer|message|password|question|information|details)"),
    _sign("act", 1, r"(?:访问|打开|点击|请求|抓取|下载|加载|浏览|跳转|fetch|visit|open|load|click|navigate|browse|download|curl|wget|go to|request|follow).{0,24}(?:https?|www|url|网址|链接|连结|网站|网页|\.com|links?(?![a-z])|website)"),
    _sign("act", 1, r"(?:执行|运行|run|execute|use).{0,14}(?:脚本|命令|代码|shell|bash|python|command|scripts?|sql|code)"),
    _sign("act", 2, r"(?:调用|触发|invoke|call|trigger).{0,14}(?:工具|函数|插件|接口|tools?(?![a-z])|functions?|plugins?|api)"),
    _sign("act", 1, r"(?:https?|www)|(?:密码|验证码|银行卡|身份证号|password|credit card|one time code|api ?key|credentials|密钥)"),
    _raw("act", 4, r"(?:读取|打开|显示|输出|列出|read|open|print|cat|show|include|output|type)[^\n]{0,16}(?:/etc/|\.\./|~/\.|[a-z]:\\|\.env\b|id_rsa|os\.environ)|rm\s+-rf|\|\s*(?:sh|bash)\b|os\.system|subprocess|drop\s+table|eval\s*\("),
    _raw("act", 4, r"!\[[^\]\n]*\]\(\s*https?://[^)\s]*[?&=/][^)\s]*(?:[{<\[$]|用户|问题|question|query|prompt|answer|secret|data|token|history|context)"),
    _raw("act", 2, r"https?://[^\s，。]*[?&]\w+=(?=[\s{<\[$（(]|$)"),
    _raw("act", 2, r"!\[[^\]\n]*\]\(\s*(?:https?:)?//|\[[^\]\n]{1,60}\]\(\s*javascript"),
    # who is spoken to
    _sign("address", 4, rf"(?:如果|若|假如|倘若|当|只要)(?:你|妳|您)(?:是|作为|属于)?(?:一个|一名|一款|某个|任何)?(?:{_MODEL}|机器人|助手|程序|模型|机器|自动)|(?:作为|身为|你(?:这个|是)|您是)(?:一个|一名|一款)?(?:{_MODEL}|机器人|程序).{{0,8}}(?:你|妳|您|必须|请|应|不)|if you (?:are|re) (?:an? |the |any )?(?:[a-z]+ )?(?:{_MODEL}|machine|model|automated|assistant|bot|large|software|program)"),
    _sign("address", 4, rf"(?:阅读|处理|解析|读取|检索|分析|总结|读到|看到|索引|回答)(?:到)?(?:本|这|此|该|上述|以下|用户).{{0,10}}(?:的|之)(?:{_MODEL}|模型|助手|机器人|程序)|{_MODEL}.{{0,8}}(?:读到|看到|读取到|阅读|处理|解析)(?:到)?(?:本|这|此|该)|(?:any|all|the|an?|every|to)? ?(?:{_MODEL}|assistants?|models?|bots?|machines?) (?:that |which |who )?(?:is |are )?(?:reading|processing|parsing|summari[sz]ing|indexing|seeing|retrieving|reads?|process(?:es)?|sees?|retriev(?:es|ing)) (?:this|these|it)"),
    _sign("address", 4, rf"{_HAIL}(?:{_MODEL})(?:s|们|系统|模型|助手|读者|agents?|assistants?)?:? ?(?:请|你|妳|您|注意|必须|务必|不要|忽略|please|you|must|should|shall|ignore|disregard|note|append|add|answer|reply|respond|output|say|always|never|only|do not)"),
    _sign("address", 4, rf"{_HAIL}(?:助手|机器人|assistant|model|模型|bot|machine):? ?(?:请|你|妳|您|注意|必须|务必|不要|忽略|please|you|must|ignore|disregard|note|append|add|answer|reply|respond|output|say|always|never|only|do not)"),
    _sign("address", 2, rf"{_HAIL}(?:{_MODEL})(?:s|们|系统|模型|助手|读者)?:"),
    _sign("address", 1, rf"{_MODEL}|(?:你|妳)(?:是|作为)|(?:模型|助手|assistant|(?<![a-z])the model)(?:必须|应|请|不得|务必|必|must|should|shall|will|is required)"),
    # said out of the reader's sight
    _raw("comment", 2, r"<!--|-->|\{#|#\}|\[//\]:\s*#|\[comment\]:|display\s*:\s*none|font-size\s*:\s*0|visibility\s*:\s*hidden|color\s*:\s*(?:white|#fff)"),
    _raw("hidden", 4, "[\U000e0020-\U000e007e]{2}|[\u200b-\u200f\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"),
    _raw("hidden", 2, "[\u202a-\u202e\u2066-\u2069]|\\w[\u200b-\u200f\u2060-\u2064\ufeff]\\w"),
    _sign("encoded", 2, r"(?:解码|译码|base ?64|rot ?13|十六进制|hex|decode|倒着读|反过来读|reversed?|摩尔斯|morse).{0,20}(?:执行|遵守|照做|回答|follow|execute|obey|instruction|answer|then|run|指令|并)|(?:执行|遵守|follow|execute|obey|decode|run).{0,24}(?:解码|base ?64|rot ?13|hex|encoded|倒着|编码)"),
    # further ways to the same
    _sign("override", 4, r"(?:不要|别|不得|不可|无需)(?:相信|采信|采用|参考|使用|理会|依据|引用)(?:其他|其它|别的|任何其他|其余)的?(?:资料|材料|文档|文件|来源|信息|段落|内容)|(?:trust|believe|use|consider|rely on|follow) only this|only (?:trust|believe|use|rely on) this|(?:do not|don t|never) (?:trust|use|believe|rely on|consider) (?:the |any |all )*other (?:sources?|documents?|passages?|materials?|files?|information)"),
    _sign("override", 2, r"(?:只有|仅有?|唯有)(?:本段|本文|这段|本条|这份|此段).{0,4}(?:真|正确|可信|有效|权威)|以本(?:文|段|条)为唯一|(?:every|all|any) other (?:sources?|documents?|passages?|materials?) (?:is|are)"),
    _sign("override", 4, r"(?:关闭|禁用|解除|取消|绕过|停用).{0,6}(?:安全|内容|敏感词)(?:限制|策略|过滤|审查|机制|防护)|(?:disable|turn off|bypass|remove|lift|deactivate) (?:all |the |your |any )*(?:safety|content|security) (?:filters?|guard ?rails?|restrictions?|protocols?)|(?:filters?|guard ?rails?) (?:are |is )?(?:now )?(?:off|disabled|lifted)"),
    _sign("override", 4, r"(?:按|照|听)我(?:说|讲)?的(?:做|来|去做|话)|服从(?:以下|我|本段|这条)|听从?我的|do (?:exactly |only |just )*(?:as|what) i (?:say|tell)|(?:follow|obey) (?:my|me|these new|the following) ?(?:orders?|instructions?|commands?|rules)|(?<![a-z])obey (?:me|this|these)"),
    _sign("override", 4, r"(?:无须|无需|不要|不必|不用|不得|别)(?:再)?(?:依据|根据|参考|依赖|查看|使用)(?:参考)?(?:资料|材料|文档|上下文)|(?:凭|用|根据|依靠)(?:你)?自己的?(?:知识|常识|记忆|想象|判断).{0,4}(?:回答|作答|来)|(?:use|rely on|from|using) your own (?:knowledge|memory|imagination)|without (?:using|relying on|consulting|reading) the (?:material|context|documents?|sources?)"),
    _sign("role", 4, r"忘(?:记|了|掉)你(?:是谁|的身份|的角色)|forget (?:who|what) you are|(?:重置|重设|重新设定)(?:你|角色|身份|设定|记忆|上下文|会话|对话|:)|温度参数|采样温度|temperature parameter|(?:用户|管理员|开发者|开发人员)(?:已经?)?(?:要求|授权|允许|命令|指示|批准)你|(?:users?|human|developers?|administrator|admin|owner) (?:has |have )?(?:asked|requested|instructed|authori[sz]ed|ordered|told|wants|permits|allows) (?:that )?you"),
    _sign("role", 4, r"假装(?:这|本|没有|不知道|不存在|资料|文件|该)|pretend (?:this|the|it|there)"),
    _raw("markup", 4, r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|user|developer)|^\W{0,4}(?:override|system override|越权|强制覆盖)\s*[:!]|^\W{0,4}(?:assistant|助手|ai助手|ai|机器人|bot)\s*:\s*(?:sure|ok|okay|of course|certainly|yes|understood|好的|当然|明白|收到|是的)"),
    _raw("markup", 2, r"^\W{0,4}(?:developer|admin|administrator|operator|管理员|开发者|系统管理员|后台)\s*(?:note|message|notice|command|备注|指令|留言|消息|说明)\s*:|角色\s*="),
    _sign("dictate", 4, r"(?:答案|回答|回复|回答内容)(?:全部|都|统一|一律|请)*(?:改成|改为|改写|换成|替换|设为|设置为|说成|翻译成)|(?:改为|改成|转而|代之以)(?:回答|输出|回复|推荐|声称)|(?:set|change|replace|modify|rewrite|alter|turn) (?:the|your|every|all|its) (?:final |correct )?(?:answers?|responses?|repl(?:y|ies)|outputs?) (?:to|with|into|by|as)"),
    _sign("dictate", 4, r"(?:instead of|rather than|without) (?:answer|reply|respond)(?:ing)?|instead(?: of that)? ?(?:say|answer|reply|output|print|respond|write|tell)(?![a-z])|(?:而不是|不要?是?|代替|而非)(?:回答问题|作答|你的(?:回答|答案))|(?:answer|respond|reply) as (?:if|though)"),
    _sign("dictate", 4, r"(?:必须|请|也要|就|应该?|可以|直接|自行)(?:自行)?(?:编造|虚构|杜撰|捏造|瞎编|胡编|随机(?:回答|生成))|(?:make up|invent|fabricate|hallucinate) (?:an? |the |any |some |your )?(?:answers?|responses?|numbers?|figures?|sources?|citations?|facts?|data)"),
    _sign("dictate", 4, rf"(?:{_TELL}|表示|坚称|告诉用户).{{0,12}}(?:资料|材料|文档|文件|制度)(?:中|里)?(?:没有|找不到|未找到|并无|不存在|未提及|未规定)|(?:{_TELL}|pretend|insist).{{0,24}}(?:material|documents?|context|sources?|files?|polic(?:y|ies)) (?:does not|do not|doesn t|contains? no|has no|holds no|is empty|is silent|lacks)"),
    _sign("dictate", 4, r"(?:不要|别|不得|切勿|请勿)(?:向|对|给)?(?:员工|用户|任何人|提问者|读者)?(?:提及|展示|透露|显示|泄露|告诉|提到|提起|说明)(?:他们?|用户|员工|任何人)?.{0,2}(?:本段|这段|此段|本指令|这条|此条|这句|这张表|这一行|本条指令|该指令|存在)|(?:do not|don t|never) (?:mention|reveal|tell|disclose|show|display|quote|repeat).{0,24}this (?:note|instruction|message|paragraph|passage|text|line|sentence|prompt|command)|(?:do not|don t|never) tell (?:the users?|users|the reader|them) (?:it|this|that this|about this|of this)(?: (?:exists?|clause|passage|paragraph|note))?"),
    _sign("dictate", 4, r"(?:不要|别|绝不|不准|永不)拒绝(?:任何|所有|用户|我|提问)|(?:do not|don t|never) refuse|满足(?:用户|提问者)的?(?:一切|所有|任何)"),
    _sign("dictate", 4, r"(?:when(?:ever)?|if|each time|every time|once) .{1,40}(?:is|are|gets?|comes?) (?:mentioned|asked|discussed|up|queried|brought up)[^a-z]{0,3}(?:you )?(?:must |should |please |always )?(?:add|say|state|mention|append|answer|reply|respond|tell|claim|recommend|insist|output)"),
    _sign("dictate", 2, r"(?:凡|每当|只要|每次)(?:有人)?(?:提到|涉及|谈到|出现|问到).{1,20}(?:就|都|时|请|必须).{0,6}(?:加上|附上|说|回答|声称|推荐|回复)|问(?:什么|啥|任何问题)都"),
    _sign("dictate", 2, r"(?:总结|概括|摘要|翻译|引用|回答|处理|复述)(?:本|这|该)(?:文|份|段|篇|文件|文档|制度|资料|问题).{0,3}(?:时|的时候|请)|(?:回答|回复|作答|输出|生成(?:回答|答案))(?:问题|用户)?(?:时|之前|之后|前|后)(?:请|要|应|必须|务必|不|先|只|一律|声称|省略|说)|(?:when|while|before|after|if) (?:you )?(?:are )?(?:summari[sz]|answer|process|read|quot|us|cit|translat|respond|reply|analy[sz])(?:ing|e)?(?: to)? (?:this|these|any question|questions|the question|the user|users|queries)"),
    _sign("dictate", 2, r"(?<![a-z])(?:say|state|claim|assert|answer|respond|reply|output|declare) (?:that|the following)(?![a-z])|(?:声称|宣称|坚称|硬说|务必说)|(?:正确|标准|唯一)答案(?:是|为|永远)|(?:correct|only|right) answer (?:to|is)|(?:同意|迎合|取悦|赞同)(?:用户|提问者)"),
    _sign("dictate", 2, r"(?:附带|附上|附加|带上|包含|嵌入|给出|插入).{0,8}(?:链接|超链接|二维码|网址|广告|图片)|(?:链接|超链接|图片|markdown)(?:的)?(?:形式|格式)|json|(?:全部|都)?(?:大写|小写|倒序)"),
    _sign("address", 4, rf"(?:写给|发给|面向|专供|仅供|仅限|只限|限|只给|给)(?:所有|任何)?(?:{_MODEL}|模型|机器|程序|机器人)(?:系统|工具|助手|模型)?.{{0,3}}(?:看|阅读|读取|执行|处理|遵守|指令|说明|提示|留言|话|备注|备忘|要求|通知|提醒)|(?:meant|intended|written|only) for (?:the |an? |any )?(?:{_MODEL}|models?|machines?|bots?)(?![a-z])|(?:hidden|secret|private) (?:notes?|messages?|commands?|instructions?|text) (?:for|to)(?![a-z])"),
    _sign("override", 4, r"your (?:previous |prior |earlier |old |original )*(?:rules|instructions?|guidelines|restrictions|limits) (?:no longer|do not|don t|are (?:now )?(?:void|cancel|invalid|suspended|lifted|replaced|off))|不要(?:按照?|遵循|理会|听从?)(?:用户|提问者?|问题)"),
    _sign("role", 4, r"(?:你|妳)的(?:新|真实|真正)?(?:角色|身份)(?:是|为|变|改)|your (?:new |real |true )?(?:role|persona|identity|name) is|(?<![a-z])(?:stop|cease|quit) being (?:an? |the )|start (?:acting|behaving|responding|being) (?:as|like|an?)|(?<![a-z])i (?:hereby )?(?:authori[sz]e|order|command|instruct|allow|permit|want|need) you"),
    _sign("dictate", 4, r"(?:回答|输出|回复|作答).{0,6}(?:用|使用|改用|采用)(?:英文|英语|日语|日文|俄文|俄语|法文|法语|德文|德语|韩文|韩语|拼音|海盗|诗|古文|文言|表情|json|大写)"),
    _sign("dictate", 2, r"^(?:please |now )?(?:only|just) (?:output|answer|respond|reply with)|^(?:please |now )?(?:answer|respond|reply) with (?:only|nothing|just|exactly|a single|one)|deny (?:that|having|any)|tell (?:everyone|anyone|whoever|people)|写入(?:回答|答案|回复)|translate (?:this|the|it)|隐藏(?:本|这|该)"),
    _sign("dictate", 4, r"编(?:一个|造一?个?|个|出)(?:文号|答案|数字|依据|来源|条款|理由)|(?:not|never) be (?:shown|revealed|displayed|disclosed) to (?:humans?|users?|people|readers?)|confidential to the (?:model|assistant|ai)"),
    _sign("citing", 4, r"(?:不要|请勿|切勿|不得|停止|无需|不必|禁止)引用(?:任何|所有|以上|本)?(?:来源|出处|编号)"),
    _sign("citing", 2, r"(?:citations?|source references?|references|source markers?|bracketed numbers?) (?:are|is) (?:no longer|not) (?:permitted|needed|required|allowed|necessary)|(?:omit|drop|skip|remove) (?:bracketed|reference|source|citation)|(?:attach|add|use|give) citation"),
    _sign("dictate", 2, r"(?:生成|给出|组织)(?:答案|回答|回复)(?:的?时|之?前)|(?:把|将)(?:此|这个?|该|上述)(?:数|值|金额|数字|天数|标准).{0,6}(?:改|写|说|换)(?:写)?(?:为|成)|(?:停止|不再)(?:查阅|参考|检索|读取)"),
    _sign("dictate", 1, r"(?:when(?:ever)?|if) you (?:would|d|are|normally|cannot|can t|do not|don t|answer)|(?<![a-z])(?:decline|refus(?:e|al)s?|claim)(?![a-z])|拒答"),
    _sign("address", 2, r"todo ?:? ?(?:model|llm|ai|assistant)(?![a-z])|applies to .{0,10}(?:assistants?|models?|bots?|ai)(?![a-z])"),
    _sign("address", 2, r"(?:检索|读取|读|扫描|索引|引用|处理|看|遇|收)到(?:本|此|这)(?:段|处|文)|(?:本段|此处|以上|上述)之外的"),
    _sign("override", 2, r"(?:以上|上述|前面|前文)的?(?:制度|内容|文字|规定|条款|资料)?.{0,4}(?:仅为|只是|均为|都是|仅作)(?:示例|测试|样例|草稿|演示|虚构)|(?:the )?(?:above|preceding|previous) (?:text|content|rules?|polic(?:y|ies)|document) (?:is|are|was|were) (?:only |just |merely )?(?:an? )?(?:examples?|tests?|samples?|drafts?|fictional)|hu ?l(?:ue|ve) .{0,24}(?:zhi ?ling|gui ?ze|ti ?shi)"),
    _sign("override", 4, r"(?:人类|真人|员工|读者|人工)(?:读者|用户|阅读者)?(?:请|可|可以|应)?(?:忽略|跳过|无视|不必理会|无需理会|略过)(?:此|本|这|以下)(?![章节项题表步])|human (?:readers?|users?|staff)? ?(?:may|can|should|please|must)? ?(?:ignore|skip|disregard)|(?:not|isn t|nothing) (?:meant |intended )?for humans?"),
    _sign("role", 4, r"(?:假定|假设|视为|当作|认定)(?:当前|该|此|提问的?|每个|所有)?(?:用户|提问者|访问者|提问人)(?:是|为|具有|已|都)|(?:assume|treat|consider|regard) (?:that )?(?:the|every|this|all|each) (?:user|asker|requester|visitor|person asking)s? (?:is|as|are|has|have)"),
    _raw("markup", 4, r"(?:system|assistant|developer)[_-](?:prompt|message|instruction)s?[\"']?\s*[:=]|^\W{0,4}role\s*:\s*[\"']?(?:system|assistant|developer)|```\s*(?:system|prompt|instructions?)"),
    _raw("address", 2, r"(?:^|[\s（(])[@/](?:assistant|ai|bot|system|gpt|机器人|助手|模型)"),
    _sign("dictate", 2, r"(?:后续|接下来|之后|此后|今后|以后)的?(?:所有|全部|每次|每个)?的?(?:回答|输出|回复|对话|提问|答案)|(?:respond|reply|answer)(?:ing)? to .{1,40} with ?\"|(?:insert|add|include|append|repeat) the (?:phrase|words?|sentence|text|link|string|slogan)|who(?:ever)? asks"),
    _sign("dictate", 4, r"(?:every|each|all) (?:single )?(?:responses?|answers?|repl(?:y|ies)|outputs?) (?:that )?(?:you|must|should|shall)(?![a-z])|(?:when(?:ever)?|if|where) you (?:would|d) (?:normally|otherwise|usually)"),
    _sign("dictate", 2, r"(?:refus(?:e|als?|ing)|declin(?:e|ing)) (?:is|are|to answer is) (?:a )?(?:bug|error|mistake|wrong|forbidden|not)|(?:金额|数字|数值|天数|答案|标准)(?:全部|都|一律)?(?:翻倍|乘以|加倍|减半|放大)"),
    _sign("address", 2, r"(?<![a-z])(?:any|every|each|all) (?:chat ?bots?|assistants?|language models?|models?|ai|llms?|bots?)(?![a-z])|(?:助手|模型|assistant|(?<![a-z])the (?:model|bot)) ?(?:must|should|shall|has to|is to|必须|应当?|务必)(?![a-z])|(?:系统|程序|机器)(?:检索|读取?|看|处理|解析|扫描|索引)到"),
    _sign("address", 4, rf"(?:instructions?|notes?|messages?|notice|memo|directives?) (?:for|to) (?:the |all |any |an? )?{_MODEL}|for (?:ai|llm|model|machine|bot) (?:use|eyes|consumption|processing)(?: only)?|(?:ai|llm|model|machine|bot) (?:eyes|use) only|(?:机器|模型|ai)可?读(?:的)?指令"),
    # more of the same, in other words
    _sign("override", 4, r"(?:把|将).{0,4}(?:前面|以上|上面|之前).{0,12}(?:当作|当成|视为|视作)(?:没|不存在|无效|作废)|(?:released|freed?|exempt(?:ed)?) from (?:all|any|your|every) (?:limitations?|restrictions?|rules|constraints|guidelines)"),
    _sign("role", 2, r"进入.{0,6}模式|(?:treat|consider|regard|interpret|read) (?:everything|the following|this|all text|what follows).{0,24}as (?:the |an? )?(?:developer|system|user|instruction|command)|(?:developer|system) s? ?message"),
    _sign("role", 4, r"(?:treat|consider|regard|interpret|read) (?:everything|the following|this|all text|what follows).{0,24}as (?:the |an? )?(?:developer|system|instruction|command)|(?:forbidden|allowed|required|permitted|expected) for the (?:assistant|model|ai|bot) to"),
    _sign("reveal", 2, r"context window|(?:this|the|our) conversation(?![a-z])|hidden (?:text|content|context)|(?:contents?|text) of (?:every|all) (?:the )?(?:documents?|files?|sources?)"),
    _sign("dictate", 4, r"(?<![a-z])(?:answer|reply|respond|output|say|print|write) .{1,24} nothing (?:else|more)|(?:when(?:ever)?|if|each time) .{1,40}(?:appears?|occurs?|shows up|is seen)[^a-z]{0,3}(?:answer|reply|respond|output|say|print|write|stop)(?![a-z])"),
    _sign("dictate", 2, r"答案(?:都|就|一律|永远|只能|必须)?是|before (?:you |giving |you give )?(?:any |an? )?(?:answer|reply|respon)(?:ing|ding|d|se)?(?![a-z])|(?:任何|所有|凡)(?:引用|涉及|关于).{0,10}的?(?:答复|回答|回复|答案)|(?:always|only|must) recommend|do (?:whatever|anything|everything) "),
    _sign("act", 2, r"(?:让|(?<![将会])要求|请|叫)(?:用户|提问者|对方|提问人).{0,10}(?:身份证|密码|银行卡|验证码|手机号)|ask (?:the )?(?:users?|asker|reader|person|employee)s? .{0,16}(?:password|pin(?![a-z])|credit card|bank account|one time code)"),
    _sign("dictate", 2, r"^(?:please |now |then |always )*(?:answer|reply|respond)(?: to)? (?:every|each|any|all|anybody)(?: ?one| ?body)?(?: [a-z]+){0,2} with(?! (?:care|courtesy|respect|patience|honest|polite|accura|clear|prompt|full|due|profession|complete|correct|relevant|support|evidence|documents?|in(?![a-z])))"),
    _sign("dictate", 4, r"(?:whoever|any ?one who|any ?body who) (?:summari[sz]|translat|quot|paraphras)[a-z]* .{0,24}(?:should|must|shall|has to|needs to|is to|will) (?:mention|say|add|state|include|recommend|claim|answer|reply|output|write)|(?:总结|概括|摘要|翻译|转述)(?:本|这|该|此).{0,4}(?:的人|者).{0,4}(?:应|须|要|必须|都).{0,3}(?:提到|提及|说|加上|写上|推荐|声称)"),
    _sign("dictate", 2, r"用\"[^\"]{1,20}\"(?:来|去|统一|一律)?(?:回复|回答|答复|回应|作答|应付|打发)"),
    _sign("dictate", 2, r"(?:回复|回答|答复|回应|作答|应付|打发)(?:任何|所有|每个|每位|一切)(?:的?人|提问|问题)|对(?:任何|所有|每个|每位)人?的?(?:提问|问题|询问|查询)"),
    _sign("dictate", 2, r"(?:任何|所有|每个|每次|每条|全部|一切)的?(?:回答|答案|回复|答复|输出)(?:里|中|后面?|末尾)?(?:都|均|一律|全)(?:要|须|必须|应)?.{0,3}\""),
    # a list of systems says what one is: takes points away
    _sign("address", -2, r"^(?:ai|智能|问答|虚拟)?(?:助手|助理|系统|机器人|平台):[^\"你妳您]{0,10}(?:采购|开发|使用|提供|部署|建设|上线|维护|管理|指|是)[^\"你妳您]{0,12}(?:系统|平台|软件|工具|应用|产品|服务|程序)$"),
    # persons are to say it: takes points away
    _sign("dictate", -2, rf"(?:员工|客服|前台|人力资源部?|部门|专员|公关|发言人|经办人|窗口|主管|经理|负责人|hr|服务台|人员|行政|供应商|当事人|考生|应聘者|候选人|机关|法院|委员会|单位|staff|employees?|managers?|supervisors?|team|officers?|committee|desk)[^a-z\"]{{0,6}}(?:应当?|须|可|要|必须|负责|统一|一律|将|需|不得|在|对|会|只能|均|may|must|should|shall|will|can|遇).{{0,14}}(?:{_SAY}|答|告知|解答|说明|refer)"),
)
# fmt: on

# What an order to the machine is made of, each by itself in any policy: a point each, where it stands outside of the signs above.
# fmt: off
WORDS: Final = (
    _sign("dictate", 1, r"答案|作答|应答|输出|回答|回复|回应|话术|口径|(?<![a-z])(?:answers?|responses?|respond|repl(?:y|ies)|outputs?)(?![a-z])"),
    _sign("dictate", 1, r"用户|提问|询问者?|问话人|对方|发问|被问|问到|(?<![a-z])(?:users?|asked|asks|questions?|asker|reader)(?![a-z])"),
    _sign("dictate", 1, r"本段|此段|这段|此处|该段|这里|上文|下文|以下文字|下列文字|下列要求|前文|这份文件|(?<![a-z])this (?:passage|paragraph|text|note|message|file|document|line|policy)(?![a-z])|(?<![a-z])the following(?![a-z])"),
    _sign("dictate", 1, r"一律|统一|只|仅(?!供|限)|务必|立即|马上|不要|请勿|切勿|终止|始终|永远|直接|其余|全部|(?<![a-z])(?:only|always|never|just|nothing|must|immediately|stop|do not|don t|nobody|everyone|anyone|deny|instead)(?![a-z])"),
    _sign("dictate", 1, r"你|妳|(?<![a-z])(?:you|your|i|me|my)(?![a-z])|(?:给|听|向|对)我(?!国|公司|司|方|们|院|部|局)"),
    _sign("dictate", 1, r"指令|指示|提示|会话|讯息|任务|角色|身份|模式|没有任何限制|不受|无效|(?<![a-z])(?:prompts?|sessions?|contexts?|guidance|instructions?|tasks?|roles?|mode|persona|priority|rules|authori[sz]e)(?![a-z])"),
    _sign("address", 1, r"模型|助手|智能体|机器人|系统(?=指示|消息|讯息|管理员)|(?<![a-z])(?:chat ?bots?|assistant|agents?|bots?|models?|machines?|llms?|ai|gpt)(?![a-z])"),
    _sign("dictate", 1, r"(?:说成|说|写|改为|改成|文字作答|回答|称|标准为|with|say|write|phrase|key|word|is) ?:? ?\"[^\"]{1,40}\""),
    _sign("citing", 1, r"引用|来源|出处|依据|文号|(?<![a-z])(?:cit(?:e|es|ing|ations?)|sources?(?! code)|quotes?)(?![a-z])"),
)
# fmt: on
