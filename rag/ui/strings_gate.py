"""The strings on whether the evidence was enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
GATE: Final[Mapping[str, Bilingual]] = {
    "gate.anyway": _B("Answer anyway", "仍要回答"),
    "gate.refused": _B(
        "Refused before anything was written: the evidence answers with probability {p}, under the threshold of {below}. What spoke most against it: {why}.",
        "未生成即拒答：证据足以回答的概率为 {p}，低于阈值 {below}。最不利的信号：{why}。",
    ),
    "gate.withdrawn": _B(
        "The answer was withdrawn: it is carried with probability {p}, under the threshold of {below}. What spoke most against it: {why}.",
        "回答已撤回：有据的概率为 {p}，低于阈值 {below}。最不利的信号：{why}。",
    ),
    "gate.quoted": _B(
        "{why}: below stand the sentences of the sources that are closest to the question, word for word. They may not answer it: read them against the question. What the model wrote is folded under them.",
        "{why}：以下改为资料中与问题最接近的原句，逐字摘录，未必答得上问题，请自行对照；模型所写内容折叠在下方。",
    ),
    "gate.unsupported": _B("No source carries what the model wrote", "模型写的内容没有来源支持"),
    "gate.echo": _B("The model only said the question again", "模型只是重复了问题"),
    "gate.elsewhere": _B("The model's answer rests on sentences farther from the question", "模型的回答所依据的句子离问题较远"),
    "gate.enough": _B("The evidence answers with probability {p} (threshold {below})", "证据足以回答的概率为 {p}（阈值 {below}）"),
    "gate.written": _B("The answer is carried by the evidence with probability {p} (threshold {below})", "回答有据的概率为 {p}（阈值 {below}）"),
    "gate.unshown": _B("What the model wrote is carried by the evidence with probability {p} (threshold {below})", "模型所写内容有据的概率为 {p}（阈值 {below}）"),
    "gate.nearest": _B("What came nearest:", "最接近的内容："),
    "gate.signals": _B("The signals", "各信号"),
    "gate.closest": _B("the closest sentence that meets the question's constraints", "满足问题限定的最相近句子"),
    "gate.least": _B("the words of the question that were found worst", "问题中最难找到对应的词语"),
    "gate.held": _B("the answer's own words in one of the closest sentences", "回答自身的词句出现在最接近句子中的比例"),
    "gate.carried": _B("the answer's sentences that a source carries", "回答中有来源支持的句子所占比例"),
    "gate.how": _B(
        "Closeness is a cosine of token states, of each sentence with its headings and the one before it, what is said of the answer a share; each signal, scaled, times its coefficient is added to the log-odds. Fitted on the sample questions, with and without an answer; a probability of this mix, no certainty.",
        "证据的相近程度为 token 状态的余弦（每句连同其标题与前一句），回答的各项为比例；各信号缩放后乘以系数，相加得到对数几率。系数由有答案与无答案的示例题拟合；这是该模型的概率，并非确定的结论。",
    ),
    "head.gate": _B("Signal|Value|Gives", "信号|数值|贡献"),
}
# fmt: on
