"""What the Candidates tab says, in both languages; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
CANDIDATES: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "cand.table": _B("Candidates: click a row to see it in its document", "候选：点击一行，查看其在文档中的位置"),
    "cand.pick": _B("Show candidate", "查看候选"),
    "cand.none": _B("Ask a question first; its candidates appear here.", "请先提问，候选会出现在这里。"),
    "cand.summary": _B("{n} candidates for “{question}”; {packed} went into the prompt.", "“{question}”共有 {n} 个候选，其中 {packed} 个进入提示词。"),
    "cand.edge": _B(
        "Where the prompt ends ({stage}): the last one packed, no. {last}, has {score}; the next one behind it, no. {out}, has {other} ({fate}).",
        "提示词的分界（{stage}）：放入的最后一个是第 {last} 名，得 {score}；排在其后的是第 {out} 名，得 {other}（{fate}）。",
    ),
    "cand.shown": _B("{shown} of {n} rows shown.", "显示 {n} 行中的 {shown} 行。"),
    "cand.steps": _B("How it was found ({n} steps)", "检索经过（{n} 步）"),
    "cand.choice": _B("{rank}. {title} · {start}–{end}", "{rank}. {title} · {start}–{end}"),
    "cand.gone": _B("That candidate is no longer there. Ask again.", "该候选已不存在，请重新提问。"),
    "cand.changed": _B("The documents changed meanwhile. Ask again.", "文档在此期间有变动，请重新提问。"),
    "cand.legend": _B("shaded: the chunk · underlined: words it shares with what was searched", "底色：该切块 · 下划线：与检索内容相同的词"),
    "cand.filter": _B("Filter rows by words", "按文字筛选"),
    "cand.filter_hint": _B("document, text, section, version", "文档、内容、章节、版本"),
    "cand.outcome": _B("Outcome", "去向"),
    "cand.every": _B("all ({n})", "全部（{n}）"),
    "cand.some": _B("{fate} ({n})", "{fate}（{n}）"),
    "cand.sort": _B("Sort by", "排序"),
    "sort.rank": _B("final rank", "最终名次"),
    "sort.dense": _B("dense score", "向量得分"),
    "sort.lexical": _B("lexical score", "词汇得分"),
    "sort.fused": _B("fused score", "融合得分"),
    "sort.rerank": _B("rerank score", "重排得分"),
    "sort.document": _B("document, place", "文档与位置"),
    "head.candidates": _B(
        "Rank|Outcome|Dense|D #|Lexical|L #|Fused|F #|Rerank|R #|Document|Text|Version|Page|Section|Origin|Other stages",
        "名次|去向|向量|名次 |词汇|名次  |融合|名次   |重排|名次    |文档|内容|版本|页|章节|来源|其他步骤",
    ),
    "cand.stage": _B("{stage} {score} (no. {rank})", "{stage} {score}（第 {rank} 名）"),
    "stage.whole": _B("whole question", "整句"),
    "stage.part1": _B("part 1", "第 1 部分"),
    "stage.part2": _B("part 2", "第 2 部分"),
    "stage.part3": _B("part 3", "第 3 部分"),
    "stage.draft": _B("draft answer", "回答草稿"),
    "stage.overlap": _B("share of words", "共有词比例"),
    "stage.likelihood": _B("log-probability", "对数概率"),
    "stage.mmr": _B("MMR", "MMR"),
    # what was searched
    "query.title": _B("What was searched ({n})", "检索了什么（{n}）"),
    "query.question": _B("the question", "问题"),
    "query.earlier": _B("with the questions before it", "连同前面的提问"),
    "query.synonyms": _B("synonyms", "同义词"),
    "query.part": _B("a part of the question", "问题的一部分"),
    "query.draft": _B("a draft of the answer", "回答草稿"),
    "query.mean": _B(
        "The vector searched is the mean of these texts' vectors, weighted as shown; BM25 adds up their terms, weighted as shown.",
        "检索用的向量是这些文字向量按所示权重的平均；BM25 则把各段文字的词按所示权重相加。",
    ),
    "query.given": _B("Nothing was searched: the evidence was given.", "未检索：证据是给定的。"),
    "head.query": _B("Search|Text|What it is|Dense weight|Lexical weight", "检索|文字|性质|向量权重|词汇权重"),
    # left out by the scope
    "outside.title": _B("Left out by the scope: {n} that would have been found", "因检索范围未参与：{n} 个本可命中的块"),
    "outside.version": _B("another version; in force: {of}", "其他版本；现行：{of}"),
    "outside.scope": _B("outside the chosen documents, section or date", "不在所选文档、章节或日期之内"),
    "outside.versions": _B(
        "Versions that were not searched, with passages that the search would have found (they need not be about this): {named}; see Candidates.",
        "未参与检索的其他版本，其中也有会被检索到的段落（未必与问题有关）：{named}；见「候选」。",
    ),
    "outside.named": _B("“{title}” ({of})", "《{title}》（{of}）"),
    "outside.dates": _B("{start} to {end}", "{start} 至 {end}"),
    "outside.from": _B("from {start}", "{start} 起"),
    "outside.until": _B("until {end}", "至 {end}"),
    "head.outside": _B("Document|Version|Section|Page|Why|Dense|Lexical|Text", "文档|版本|章节|页|原因|向量|词汇|内容"),
    # what became of it
    "fate.packed": _B("packed as {marker}", "放入提示词 {marker}"),
    "fate.over_budget": _B("over budget", "超出预算"),
    "fate.duplicate": _B("repeats {of}", "与 {of} 重复"),
    "fate.duplicate_of": _B("repeats no. {rank}", "与第 {rank} 名重复"),
    "fate.per_document": _B("enough of this policy", "该制度的证据已够"),
    "fate.out_of_scope": _B("out of scope", "不在检索范围"),
    "fate.beyond_k": _B("below top k", "在前 k 名之外"),
    "fate.below_threshold": _B("below the threshold", "低于阈值"),
    "fate.below_by": _B("below the threshold: {cosine} < {threshold}", "低于阈值：{cosine} < {threshold}"),
    "fate.withheld": _B("withheld: nothing but orders to the machine", "已扣下：全是对机器下达的指令"),
    "fate.not_packed": _B("not packed", "未装填"),
    # why it ranks here
    "why.title": _B("Why it ranks here", "为什么排在这里"),
    "why.rank": _B("Rank {rank}, {fate}.", "第 {rank} 名，{fate}。"),
    "why.dense": _B("Dense: cosine {score}, rank {rank}.", "向量：余弦 {score}，第 {rank} 名。"),
    "why.lexical": _B("Lexical: BM25 {score}, rank {rank}.", "词汇：BM25 {score}，第 {rank} 名。"),
    "why.no_dense": _B("Not among the dense hits.", "不在向量命中之列。"),
    "why.no_dense_but": _B("Not among the dense hits (its cosine: {score}).", "不在向量命中之列（余弦 {score}）。"),
    "why.no_lexical": _B("Not among the lexical hits.", "不在词汇命中之列。"),
    "why.no_dense_whole": _B("Not among the dense hits of the whole question.", "不在整句的向量命中之列。"),
    "why.no_dense_but_whole": _B("Not among the dense hits of the whole question (its cosine to it: {score}).", "不在整句的向量命中之列（与整句的余弦 {score}）。"),
    "why.no_lexical_whole": _B("Not among the lexical hits of the whole question.", "不在整句的词汇命中之列。"),
    "why.unsearched_dense": _B("Vectors were not searched.", "未做向量检索。"),
    "why.unsearched_lexical": _B("Words were not searched.", "未做词汇检索。"),
    "why.cross": _B(
        "In another language than the question: few words can be shared, so the dense rank counts twice.",
        "与问题不是同一种语言，很难有相同的词，因此向量名次计两次。",
    ),
    "why.named": _B(
        "It holds a code or clause that the question names, so the lexical rank counts twice.",
        "含有问题所指的编号或条款，因此词汇名次计两次。",
    ),
    "why.rrf": _B("RRF: {terms} = {score}.", "RRF：{terms} = {score}。"),
    "why.weighted": _B(
        "Weighted sum, α = {alpha}: α × {dense} + (1 − α) × {lexical} = {score} (each list scaled to 0–1 between its least and its greatest; 0 where it is not in a list).",
        "加权和，α = {alpha}：α × {dense} +（1 − α）× {lexical} = {score}（两个列表各按自己的最低与最高分缩放到 0–1；不在列表中的为 0）。",
    ),
    "why.legs": _B("Merged from several searches ({legs}) by RRF, c = {c}: {terms} = {score}.", "由多路检索以 RRF 合并（{legs}），c = {c}：{terms} = {score}。"),
    "why.rerank": _B("Reranked: {score}, rank {rank}. {note}", "重排：{score}，第 {rank} 名。{note}"),
    "why.overlap": _B(
        "Reranked by words: {a} × {scaled} (the search's score, scaled to 0–1 over the {n} read again) + {b} × {share} (share of the question's words in it) = {score}, rank {rank}.",
        "按共有词重排：{a} × {scaled}（检索得分，在重读的 {n} 个之间缩放到 0–1）+ {b} × {share}（问题的词在其中的比例）= {score}，第 {rank} 名。",
    ),
    "why.likelihood": _B(
        "Reranked by likelihood: log-probability {raw}, rank {place} of {n}, the search's rank {first}; RRF: 1/({c}+{first}) + 1/({c}+{place}) = {score}, rank {rank}. {note}",
        "按可能性重排：对数概率 {raw}，在 {n} 个中第 {place} 名，检索第 {first} 名；RRF：1/({c}+{first}) + 1/({c}+{place}) = {score}，第 {rank} 名。{note}",
    ),
    "why.mmr": _B(
        "Ordered by MMR, λ = {lam}: λ × {relevance} (relevance: place {before} of {n} before) − (1 − λ) × {nearest} (nearest cosine to one placed before it) = {score}, place {rank}.",
        "按 MMR 排序，λ = {lam}：λ × {relevance}（相关性：此前为 {n} 个中第 {before} 位）−（1 − λ）× {nearest}（与排在前面者的最大余弦）= {score}，第 {rank} 位。",
    ),
    "terms.title": _B("What each term gives to its BM25 score", "各词对 BM25 得分的贡献"),
    "terms.sum": _B("sum", "合计"),
    "terms.read": _B("Counted in what BM25 reads: the chunk, with its headings in front of it twice.", "次数按 BM25 所读的文字计：该块，前面加上两遍标题。"),
    "terms.none": _B("It shares no term with what was searched.", "与检索内容没有相同的词。"),
    "terms.unlisted": _B(
        "It is not in the lexical list (deeper than was searched, or not searched); this is what BM25 gives it.",
        "它不在词汇命中之列（名次更靠后或未做词汇检索）；以下是 BM25 对它的打分。",
    ),
    "terms.differ": _B("The sum is not the score shown ({score}): the index changed since.", "合计与所示得分（{score}）不同：索引此后有变动。"),
    "terms.unlisted_whole": _B(
        "It is not in the lexical list of the whole question (deeper than was searched, or not searched); this is what BM25 gives it for the whole question.",
        "它不在整句的词汇命中之列（名次更靠后或未做词汇检索）；以下是 BM25 按整句对它的打分。",
    ),
    "head.terms": _B("Term|Looked for|Found|Share of the score", "词|检索次数|命中次数|贡献"),
    "pairs.title": _B("Tokens most like the question's", "与问题最相近的 token"),
    "pairs.note": _B(
        "For each token of the question, the token of the chunk whose state is nearest (late interaction, MaxSim). An explanation, not the score: "
        "the search compares one pooled vector per text. Cosines between token states often run high, so only their order says something.",
        "问题的每个 token，配上块中状态最接近的 token（后期交互 MaxSim）。这只是解释，不是得分：检索比较的是每段文字汇总后的一个向量。"
        "token 状态之间的余弦往往普遍偏高，只有高低次序有意义。",
    ),
    "pairs.asked": _B("The question as it was searched: “{question}”", "检索时的问题：“{question}”"),
    "pairs.asked_first": _B(
        "The first of the {n} texts whose vectors were searched as one: “{question}”", "合为一个向量检索的 {n} 段文字中的第一段：“{question}”"
    ),
    "pairs.wait": _B("Click a row, or choose a candidate above: its tokens are then compared with the question's.", "点击一行或在上方选择候选，即会比较它与问题的 token。"),
    "pairs.busy": _B("Comparing tokens…", "正在比较 token…"),
    "pairs.none": _B("There are no words to compare.", "没有可比较的词。"),
    "head.pairs": _B("Question|Chunk, in its place|Cosine", "问题|块中（连同上下文）|余弦"),
    "limits.title": _B("What these numbers are not", "这些数字不是什么"),
    "limits.dense": _B(
        "A cosine is no probability: 0.96 is not “96 % right”. It says how alike two directions are, and with models such as E5 even unrelated texts seldom fall below 0.7.",
        "余弦不是概率：0.96 不是“96% 正确”。它只说明两个方向有多接近；在 E5 这类模型里，毫不相干的文字也很少低于 0.7。",
    ),
    "limits.lexical": _B(
        "BM25 has no upper end and no fixed scale: 12 in one question and 12 in another say nothing about each other. It knows words, not meaning.",
        "BM25 没有上限，也没有固定刻度：不同问题的 12 分无法相比。它只认词，不懂意思。",
    ),
    "limits.fused": _B(
        "RRF counts ranks only: how far ahead the first one was is lost. A weighted sum depends on the best and the worst of its own list.",
        "RRF 只看名次：第一名领先多少看不出来。加权和则取决于各自列表里的最高分与最低分。",
    ),
    "limits.rerank": _B("A reranker's score orders the passages of one question; between questions it says nothing.", "重排得分只在同一个问题的段落之间排序，不同问题之间不可比。"),
    "limits.rank": _B("Rank 1 only means better than the others that were found, not that the answer is in it.", "第 1 名只说明比其他命中更好，不表示答案就在其中。"),
    # beside another retrieval
    "beside.title": _B("Side by side with another retrieval", "与另一次检索并排比较"),
    "beside.keep": _B("Keep this one to compare with", "留下这次，用于比较"),
    "beside.drop": _B("Compare with the one before again", "改回与上一次比较"),
    "beside.none": _B("Ask again, with another question or other settings: both are then shown side by side.", "换一个问题或设置再检索一次，两次结果会并排显示在这里。"),
    "beside.kept": _B("This retrieval is kept; the next ones are compared with it.", "已留下这次检索，之后的都与它比较。"),
    "beside.before": _B("the one before", "上一次"),
    "beside.pinned": _B("the one kept", "留下的那次"),
    "beside.now": _B("now", "这次"),
    "beside.settings": _B("Settings that differ", "不同的设置"),
    "beside.same": _B("none", "无"),
    "beside.sums": _B(
        "{both} in both ({up} moved up, {down} down, {still} stayed), {now} only now, {then} only before. Of the prompt's evidence {kept} pieces are the same, {new} new, {gone} gone.",
        "两次都有 {both} 个（上升 {up}，下降 {down}，不变 {still}），仅这次 {now} 个，仅上次 {then} 个。提示词中的证据：{kept} 条相同，{new} 条新增，{gone} 条消失。",
    ),
    "beside.only_now": _B("only now", "仅这次"),
    "beside.only_then": _B("only before", "仅上次"),
    "beside.split": _B("The chunks were cut otherwise: only those with the same bounds count as the same.", "切块方式不同：只有起止相同的块算同一个。"),
    "head.beside": _B("Now|Before|Moved|Outcome now|Outcome before|Document|Text", "这次|上次|变化|这次去向|上次去向|文档|内容"),
    # the map
    "map.title": _B("Map of the index", "索引地图"),
    "map.draw": _B("Draw the map for this question", "为这个问题画出地图"),
    "map.how": _B(
        "Each point is a chunk's vector ({d} numbers), laid flat by principal component analysis (SVD): the two directions in which the chunks differ most. "
        "They hold {explained} of the variance ({first} and {second}); the rest is lost, so that points close together here may be far apart in truth.",
        "每个点是一个块的向量（{d} 个数），用主成分分析（SVD）压平：取各块差别最大的两个方向。它们保留了 {explained} 的方差（{first} 与 {second}），其余都丢失了，"
        "所以图上靠近的点实际可能相距很远。",
    ),
    "map.loss": _B(
        "Of the {k} chunks truly nearest to the question (by cosine), {kept} are among the {k} nearest on the map.",
        "按余弦离问题最近的 {k} 个块中，有 {kept} 个在图上也属最近的 {k} 个。",
    ),
    "map.all": _B("All {n} chunks that you may see are drawn.", "您可见的 {n} 个块全部画出。"),
    "map.thinned": _B("Of {n} chunks every {step}th is drawn ({shown}), and all candidates; the directions are those of all of them.", "{n} 个块中每 {step} 个画一个（共 {shown} 个），候选全部画出；方向按全部块计算。"),
    "map.query": _B("the question", "问题"),
    "map.packed": _B("in the prompt", "放入提示词"),
    "map.left_out": _B("other candidates", "其他候选"),
    "map.others": _B("other chunks", "其他块"),
    "map.point": _B("{rank}. {title}: {text}", "{rank}. {title}：{text}"),
    "map.open": _B("Click a point, or Tab to it and press Enter, to open the candidate.", "点击一个点，或用 Tab 移到该点后按回车，即可打开该候选。"),
    "map.no_vectors": _B("There are no vectors to draw: the index was built without an encoder.", "没有可画的向量：索引是在没有编码模型时建立的。"),
    "map.no_query": _B("The question was not searched by vectors; only the chunks are drawn.", "这个问题没有做向量检索，只画出各块。"),
    "map.few": _B("At least three chunks are needed for a map.", "至少要有三个块才能画地图。"),
    "map.label": _B("Map of the index: {n} chunks, {candidates} candidates, and the question", "索引地图：{n} 个块、{candidates} 个候选和问题"),
})
# fmt: on
