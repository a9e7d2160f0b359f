"""What the Evaluate tab says, in both languages; a part of the table in `rag.ui.strings`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rag.errors import Bilingual

_B = Bilingual
# fmt: off
EVALUATE: Final[Mapping[str, Bilingual]] = MappingProxyType({
    "tab.evaluate": _B("Evaluate", "评测"),
    # question set
    "eval.set": _B("## Question set", "## 题集"),
    "eval.samples_name": _B("Sample questions", "示例题集"),
    "eval.own_name": _B("Own questions", "自编题集"),
    "eval.edited": _B(" (edited)", "（已编辑）"),
    "eval.set_none": _B(
        "No question set yet: upload one, draft one from your documents, or take the sample questions (they ask about the sample policies).",
        "还没有题集：请上传，或由自己的文档起草；示例题只针对示例制度。",
    ),
    "eval.set_line": _B(
        "{name}: {n} questions · {answer} to be answered · {refusal} to be refused · {unknown} without labels · {draft} drafts to be checked",
        "{name}：共 {n} 题 · 应回答 {answer} · 应拒答 {refusal} · 未标注 {unknown} · 待核对草稿 {draft}",
    ),
    "eval.set_found": _B("Every label points to something in what is searched now.", "所有依据都能在当前检索范围内找到。"),
    "eval.set_missing": _B(
        "{n} labels of {questions} questions point to nothing in what is searched now, e.g. {example}.",
        "有 {questions} 题的 {n} 处依据在当前检索范围内找不到，例如 {example}。",
    ),
    "eval.upload": _B("Upload a set (.jsonl .csv .xlsx)", "上传题集（.jsonl .csv .xlsx）"),
    "eval.samples": _B("Sample questions", "示例题"),
    "eval.loaded": _B("{n} questions read from {name}.", "已从 {name} 读入 {n} 题。"),
    "eval.ignored": _B("Columns not used: {names}.", "未使用的列：{names}。"),
    "eval.one_file": _B("Choose one file with questions.", "请选择一个题集文件。"),
    "eval.save_jsonl": _B("Save JSONL", "保存 JSONL"),
    "eval.save_csv": _B("Save CSV", "保存 CSV"),
    "eval.save_xlsx": _B("Save XLSX", "保存 XLSX"),
    "eval.edit": _B("See and edit the questions, draft new ones", "查看、编辑题目，或起草新题"),
    "eval.edit_table": _B("Questions", "题目"),
    "eval.edit_help": _B(
        "Several values stand one on each line. A label: document :: quoted words, or document #page; “2> ” in front marks a second thing the answer needs. Points: what a right answer holds, other wordings behind |. Never: what it must not hold. Earlier: questions asked before. As of: the day the question is about. Refuse: yes where the documents have no answer.",
        "一格多项时每行一项。依据写作“文档 :: 原文”或“文档 #页码”；前面加“2> ”表示答案还需要的第二处依据。要点：正确回答必须包含的内容，几种写法用 | 隔开；禁止：不得出现的内容；上文：此前问过的问题；日期：按哪一天的规定回答；应拒答：文档中没有答案的题填“是”。",
    ),
    "eval.apply": _B("Apply edits", "应用修改"),
    "eval.applied": _B("Applied: {n} questions.", "已应用：共 {n} 题。"),
    "eval.big_table": _B("The table holds more than {most} million characters. Shorten it.", "表格超过 {most} 百万字符，请精简。"),
    "eval.no_rows": _B("There is no question in the table.", "表格中没有题目。"),
    "eval.stale_table": _B(
        "The documents changed, and another question set is in use. The table shows it now; nothing was applied.",
        "文档已有变动，当前使用的是另一份题集；表格已改为显示它，未应用任何修改。",
    ),
    "eval.bad_table": _B("The table came in a form that cannot be read. Load the set again.", "表格内容无法读取，请重新载入题集。"),
    "eval.draft_n": _B("Drafts to make", "起草题数"),
    "eval.draft_stop": _B("Stop drafting", "停止起草"),
    "eval.draft": _B("Draft questions from my documents", "由我的文档起草题目"),
    "eval.draft_no_documents": _B("Add documents of your own first; drafts are made from them.", "请先上传自己的文档，再由它们起草题目。"),
    "eval.full": _B("The set has {most} questions already, which is the most. Remove some first.", "题集已有 {most} 题，达到上限，请先删除一些。"),
    "eval.drafting": _B("Drafting: {done} questions, {failed} attempts without one…", "起草中：已得 {done} 题，未成 {failed} 次…"),
    "eval.drafted": _B(
        "{done} drafts added ({failed} attempts gave none). A model wrote them: check each, add the points a right answer holds (15 days|fifteen days), then empty its draft column.",
        "已加入 {done} 道草稿（未成 {failed} 次）。它们由模型写成：请逐题核对，补上“要点”（正确回答必须包含的内容，如 15天|十五天），再清空“草稿”列。",
    ),
    "eval.drafted_none": _B(
        "No passage was tried: it was stopped before, or all that are long enough have a draft already.",
        "没有尝试任何段落：起草已提前停止，或足够长的段落都已有草稿。",
    ),
    # run
    "eval.run_title": _B("## Run", "## 运行"),
    "eval.what": _B("What runs", "评测内容"),
    "eval.what_retrieval": _B("retrieval only", "仅检索"),
    "eval.what_answers": _B("and answers from what is found", "并用检索到的证据回答"),
    "eval.what_all": _B("and answers without, with gold, with wrong evidence", "再加无证据、标准证据、错误证据三种对照"),
    "eval.categories": _B("Categories (none chosen: all)", "类别（不选：全部）"),
    "eval.most": _B("At most so many questions", "最多题数"),
    "eval.k": _B("k of the measures", "指标的 k"),
    "eval.compare": _B("Compare settings: A is the Settings panel, each value below is a variant", "对比设置：A 为设置面板，下面的每个取值为一个方案"),
    "eval.setting": _B("Setting", "设置项"),
    "eval.values": _B("Values, separated by commas", "取值，用逗号分隔"),
    "eval.values_hint": _B("e.g. 120, 480", "例如 120, 480"),
    "eval.no_setting": _B("–", "–"),
    "eval.run": _B("Run", "运行"),
    "eval.stop": _B("Stop", "停止"),
    "eval.begin": _B("Preparing…", "准备中…"),
    "eval.progress": _B("{done} of {total} questions done · {seconds} s", "已完成 {done} / {total} 题 · {seconds} 秒"),
    "eval.left": _B("about {left} s left", "约剩 {left} 秒"),
    "eval.done": _B("{done} questions in {seconds} s; settings {hash}.", "{done} 题，用时 {seconds} 秒；设置 {hash}。"),
    "eval.stopped": _B("Stopped after {done} of {total} questions; what is below is about those.", "已在第 {done} / {total} 题处停止；以下为已完成部分。"),
    "eval.nothing": _B("Stopped before the first question was done.", "第一题完成之前已停止。"),
    "eval.lexical": _B("No encoder is there: retrieval was lexical only.", "没有编码模型：仅按词汇检索。"),
    "eval.uncounted": _B(
        "No generator is there: prompts were not counted against the token budget, so that a piece that would not fit counts as packed.",
        "没有生成模型：提示词未按 token 预算计数，放不下的证据也算已放入。",
    ),
    "eval.gone": _B(
        "A document was removed, and with it the results that hold it. Run the set again.",
        "有文档已移除，含有它的评测结果一并删除，请重新运行题集。",
    ),
    "eval.earlier": _B(
        "The documents changed since: these results belong to what was searched then.",
        "此后文档已有变动：以下结果属于当时检索的文档。",
    ),
    "eval.no_set": _B("There is no question set. Upload one, or take the sample questions.", "还没有题集，请上传题集或选用示例题。"),
    "eval.no_questions": _B("No question is in the chosen categories. Choose others.", "所选类别中没有题目，请另选。"),
    "eval.bad_choice": _B("{field}: that value cannot be used. Choose again.", "{field}：该取值不可用，请重新选择。"),
    "eval.number": _B("{field}: enter a whole number from 1 to {most}.", "{field}：请填写 1 到 {most} 的整数。"),
    "eval.no_values": _B("Setting {name}: give one or more values to compare.", "设置项 {name}：请填写要对比的取值。"),
    "eval.too_many": _B(
        "{n} questions over all variants would keep about {size} MB in memory; at most {most} MB. Ask fewer questions, compare fewer values, or lower depth, packed pieces or context limit.",
        "所有方案合计 {n} 题，约占内存 {size} MB，最多 {most} MB。请减少题数或取值，或降低候选数、证据数或上下文上限。",
    ),
    "eval.too_many_chunks": _B(
        "The variants' own indexes would have about {n} chunks together; at most {most}. Compare fewer or larger chunk sizes.",
        "各方案另建的索引合计约 {n} 块，最多 {most} 块。请减少要对比的切分，或增大块大小。",
    ),
    # results
    "eval.results": _B("Results", "结果"),
    "eval.which": _B("Results of", "查看结果"),
    "eval.run_a": _B("A · the settings panel", "A · 设置面板"),
    "eval.run_variant": _B("{letter} · {change}", "{letter} · {change}"),
    "eval.so_far": _B("So far, {n} labelled questions; intervals follow at the end.", "目前 {n} 道有标注的题；区间在结束后给出。"),
    "eval.stages_note": _B(
        "Mean over {n} labelled questions, 95 % interval below. “Evidence” asks whether everything the answer needs is in the whole list; the others look at its first {k}.",
        "对 {n} 道有标注的题取均值，下方为 95% 区间。“依据齐全”看整个列表是否含有答案所需的全部依据，其余指标看前 {k} 个。",
    ),
    "head.eval_stages": _B("Stage|Evidence|Recall|Precision|Hit|MRR|nDCG", "阶段|依据齐全|召回率|准确率|命中|MRR|nDCG"),
    "head.eval_categories": _B("Category|Questions|Evidence in the prompt|Answers correct", "类别|题数|提示词中依据齐全|回答正确"),
    "eval.row": _B("Counts and means", "计数与均值"),
    "eval.compared": _B("Compared with A", "与 A 对比"),
    "head.eval_compared": _B(
        "Variant|Measure|Difference|p|Verdict|Questions that changed", "方案|指标|差值|p|结论|有变化的题"
    ),
    "eval.noise_rule": _B(
        "The same questions, compared one by one. A difference is noise unless its interval leaves 0 out and p (a sign-flip permutation test) is at most 0.05.",
        "同一批题逐题配对比较。差值的 95% 区间不含 0 且 p（符号置换检验）不超过 0.05 才算差异，否则是噪声。",
    ),
    "eval.changed": _B("{gained} better, {lost} worse", "变好 {gained} 题，变差 {lost} 题"),
    "eval.changed_none": _B("none", "无"),
    "eval.reindex": _B(" · re-indexing follows with the next question", " · 下一次提问时会先重新建立索引"),
    "eval.taken": _B("The Settings panel now has the settings {hash}{more}.", "设置面板已改为设置 {hash}{more}。"),
    "eval.cut": _B("Least cosine (threshold)", "最低余弦（阈值）"),
    "eval.cut_title": _B("## Threshold", "## 阈值"),
    "eval.cut_at": _B(
        "At {value}: evidence kept for {evidence} of the labelled questions; {wrongly} of the answerable questions refused; {rightly} of the unanswerable ones refused. Without a threshold evidence is kept for {before}.",
        "阈值 {value}：有标注的题 {evidence} 依据仍齐全；有答案的题 {wrongly} 被拒答；无答案的题 {rightly} 被拒答。不设阈值时依据齐全 {before}。",
    ),
    "eval.use_cut": _B("Use this threshold", "采用该阈值"),
    "eval.cut_taken": _B("The Settings panel now has the threshold {value}.", "设置面板的最低余弦已改为 {value}。"),
    "eval.use_variant": _B("Apply these settings", "应用这组设置"),
    # questions
    "eval.questions": _B("## Questions", "## 逐题"),
    "eval.save_report": _B("## Report", "## 报告"),
    "eval.report_html": _B("Save the report (HTML)", "保存报告（HTML）"),
    "eval.report_json": _B("Save the figures (JSON)", "保存数据（JSON）"),
    "eval.no_report": _B("There are no results yet. Run a set first.", "还没有结果，请先运行。"),
    "eval.failed_only": _B("Failed only", "只看失败的"),
    "eval.outcomes": _B("Click a question: why it failed is said below, and all other tabs show its trace", "点击一题：下方说明原因，其他标签页显示该题的全过程"),
    "eval.pick": _B("Show question", "查看题目"),
    "eval.count": _B("{failed} of {n} failed.", "{n} 题中失败 {failed} 题。"),
    "eval.shown": _B("The table shows the first {n}.", "表中显示前 {n} 题。"),
    "head.eval_questions": _B("#|Id|Category|Question|Evidence|Answer|Look at", "#|编号|类别|问题|依据|回答|问题环节"),
    "eval.no_question": _B("That question is no longer there. Run the set again.", "该题已不存在，请重新运行。"),
    "eval.traced": _B("Candidates, Prompt and Answer now show this question as it ran.", "候选、提示词和回答标签页已显示该题的运行过程。"),
    "eval.traced_answer": _B("A question of the evaluation; only retrieval was run for it.", "评测中的一题，只运行了检索。"),
    "eval.failed_at": _B("Failed at: {step}.", "失败环节：{step}。"),
    "eval.fine": _B("Nothing failed here.", "该题没有失败之处。"),
    "eval.points": _B("Answer points", "答案要点"),
    "head.eval_answers": _B("Written from|Verdict|Answer", "所给证据|判定|回答"),
})
# fmt: on
