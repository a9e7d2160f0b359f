"""What the settings are called, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
SETTINGS: Final[Mapping[str, Bilingual]] = {
    "set.title": _B("Settings", "设置"),
    "set.strategy": _B("Split strategy", "切分方式"),
    "set.size": _B("Chunk size (characters; tokens if so split)", "块大小（字符；按 token 切分时为 token）"),
    "set.overlap": _B("Overlap (same unit)", "重叠（单位同上）"),
    "set.normalise": _B("Encoder reads half-width, simplified", "编码器也读半角、简体"),
    "set.follow_up": _B("Search with the questions before", "连同之前的提问检索"),
    "set.glossary": _B("Add synonyms of the glossary", "加入词表中的同义词"),
    "set.synonyms": _B("More synonyms (a line each: 年假 = 带薪年休假)", "补充同义词（每行一条：年假 = 带薪年休假）"),
    "set.parts": _B("Search a question of two parts as two", "含两问的问题分开检索"),
    "set.second_round": _B("Search again with a draft answer (slow)", "用回答草稿再检索一轮（较慢）"),
    "set.mode": _B("Retrieval", "检索方式"),
    "set.fusion": _B("Fusion", "融合方式"),
    "set.depth": _B("Candidates per retriever", "每路候选数"),
    "set.packed": _B("Evidence in the prompt (k)", "放入提示词的证据数（k）"),
    "set.rrf_c": _B("RRF constant c", "RRF 常数 c"),
    "set.alpha": _B("α: weight of dense", "α：向量检索权重"),
    "set.threshold": _B("Least cosine (empty: off)", "最低余弦（留空：不限）"),
    "set.scope": _B("Versions", "版本范围"),
    "set.as_of": _B("In force on (YYYY-MM-DD, empty: today)", "生效日期（YYYY-MM-DD，留空：今天）"),
    "set.documents_gone": _B(
        "No longer searched, so taken out of the chosen documents: {names}", "以下文档已不在检索之列，已从所选文档中移除：{names}"
    ),
    "set.documents_all_gone": _B(
        "No longer searched: {names}. No document is chosen now, so questions search all of them.",
        "以下文档已不在检索之列：{names}。现在没有限定文档，提问将检索全部文档。",
    ),
    "set.documents": _B("Only these policies (empty: all)", "只查这些制度（留空：全部）"),
    "set.section": _B("Only sections whose heading says (empty: all)", "只查标题含此词的章节（留空：全部）"),
    "set.nearest": _B("Vector search", "向量检索算法"),
    "set.rerank": _B("Rerank", "重排"),
    "set.rerank_top": _B("Candidates reranked", "重排的候选数"),
    "set.near_duplicates": _B("Leave out repeats", "去掉重复"),
    "set.mmr": _B("Diversity: MMR λ, 0–1 (empty: off)", "多样性：MMR 的 λ，0–1（留空：不用）"),
    "set.per_document": _B("Pieces of one policy at most (0: any)", "每份制度最多几条证据（0：不限）"),
    "set.neighbours": _B("With what a clause runs on into", "条文未完时带上相邻块"),
    "set.answer_tokens": _B("Answer tokens", "回答长度（token）"),
    "set.temperature": _B("Temperature (0: greedy)", "温度（0：贪心）"),
    "set.top_p": _B("top_p", "top_p"),
    "set.repetition_penalty": _B("Repetition penalty", "重复惩罚"),
    "set.context_limit": _B("Context limit (tokens)", "上下文上限（token）"),
    "set.rules": _B("Rules of the prompt (empty: the built-in ones)", "提示词规则（留空：使用内置规则）"),
    "set.withhold": _B("Leave out sentences that give the machine orders", "扣下对机器下达的指令"),
    "set.refuse": _B("Refuse where the evidence hardly answers", "证据不足时拒答"),
    "set.refuse_below": _B("… with a probability under", "……足以回答的概率低于"),
    "set.group_split": _B("**Split** · a change here means re-indexing before the next question", "**切分** · 改动后，下一次提问前会重新建立索引"),
    "set.group_query": _B("**Question**", "**问题**"),
    "set.group_search": _B("**Search**", "**检索**"),
    "set.group_select": _B("**Select**", "**选取**"),
    "set.group_generate": _B("**Generate**", "**生成**"),
    "set.ok": _B("Settings {hash}: in effect from the next question.", "设置 {hash}：从下一次提问起生效。"),
    "set.reindex": _B(
        "Settings {hash}: the chunks change, so re-indexing follows with the next question.",
        "设置 {hash}：切分方式有变，下一次提问时会先重新建立索引。",
    ),
    "set.on": _B("on", "开"),
    "set.off": _B("off", "关"),
    "set.bad_date": _B(
        "Setting “{name}” ({setting}): {value} is not a date. Write it as YYYY-MM-DD or leave it empty.",
        "设置「{name}」（{setting}）：{value} 不是日期，请写成 YYYY-MM-DD 或留空。",
    ),
    "set.bad_number": _B("Setting “{name}” ({setting}): {value} is not a number.", "设置「{name}」（{setting}）：{value} 不是数字。"),
    "set.missing": _B("Setting “{name}” ({setting}): no value. Enter a number.", "设置「{name}」（{setting}）：没有填写，请输入一个数字。"),
    "option.fixed": _B("fixed window", "固定窗口"),
    "option.recursive": _B("recursive: paragraph → line → sentence", "递归：段落 → 行 → 句"),
    "option.structure": _B("structure: section → clause → paragraph → …", "结构：章节 → 条款 → 段落 → …"),
    "option.tokens": _B("encoder tokens, cut at sentence ends", "按编码器 token，断在句末"),
    "option.fused": _B("dense + lexical", "向量 + 词汇"),
    "option.dense": _B("dense only", "仅向量"),
    "option.lexical": _B("lexical only", "仅词汇"),
    "option.rrf": _B("reciprocal rank (RRF)", "倒数排名（RRF）"),
    "option.weighted": _B("weighted sum (α)", "加权和（α）"),
    "option.exact": _B("exact: every vector", "精确：逐一比较"),
    "option.approximate": _B("approximate (HNSW)", "近似（HNSW）"),
    "option.none": _B("none", "不重排"),
    "option.overlap": _B("shared words", "共有词"),
    "option.likelihood": _B("question likelihood (the generator; slow)", "问题似然（生成模型，较慢）"),
    "option.cross": _B("cross-encoder", "交叉编码器"),
    "option.newest": _B("newest in force", "现行最新版"),
    "option.all": _B("all versions", "全部版本"),
}
# fmt: on
