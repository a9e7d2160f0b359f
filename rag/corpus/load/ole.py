"""OLE containers, the files of old Office and of encrypted new Office: which one it is, and what to do."""

from __future__ import annotations

import io

import olefile

from rag.errors import LoadError, UnsupportedFormat

MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOOKS = ("workbook", "book")
_ENCRYPTED = 0x01  # in byte 11 of the stream WordDocument


def is_workbook(name: str, data: bytes) -> bool:
    """Whether the container holds an old Excel workbook, which can be read; every other kind is refused here.

    Raises:
        LoadError: protected by a password, or damaged.
        UnsupportedFormat: old Word or PowerPoint, an Outlook message, or a kind unknown here.
    """
    streams, secret = _looked_into(name, data)
    if secret or streams & {"encryptedpackage", "encryptioninfo"}:
        raise LoadError(
            en=f"{name}: it is encrypted with a password. Open it in its program and save a copy without a password "
            "as .docx, .xlsx or .pptx.",
            zh=f"{name}：文件已加密（有密码）。请用原程序打开，另存为无密码的 .docx、.xlsx 或 .pptx 后再上传。",
        )
    if streams.intersection(_BOOKS):
        return True
    for stream, (en, zh, target) in _OLD.items():
        if stream in streams:
            raise UnsupportedFormat(
                en=f"{name}: {en}, which is not read here. Open it and save it as {target} (without a password).",
                zh=f"{name}：{zh}，暂不支持。请打开后另存为 {target}（不设密码）。",
            )
    raise UnsupportedFormat(
        en=f"{name}: an old Office container of an unknown kind. Save it as .docx, .xlsx, .pptx or .pdf.",
        zh=f"{name}：旧版 Office 文件，无法判断种类。请另存为 .docx、.xlsx、.pptx 或 .pdf。",
    )


_OLD = {
    "worddocument": ("an old Word or WPS document (.doc, .wps)", "旧版 Word／WPS 文字文档（.doc、.wps）", ".docx"),
    "powerpoint document": (
        "an old PowerPoint or WPS presentation (.ppt, .dps)",
        "旧版 PowerPoint／WPS 演示文稿（.ppt、.dps）",
        ".pptx",
    ),
    "__properties_version1.0": ("an Outlook message (.msg)", "Outlook 邮件（.msg）", ".eml"),
    "contents": ("an old Works document (.wps)", "旧版 Works 文档（.wps）", ".docx"),
}


def _looked_into(name: str, data: bytes) -> tuple[set[str], bool]:
    """The names at the top of the container, in lower case, and whether it is an old Word document under a password."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as container:
            streams = {path[0].lower() for path in container.listdir() if path}
            head = container.openstream("WordDocument").read(12) if "worddocument" in streams else b""
            return streams, len(head) == 12 and bool(head[11] & _ENCRYPTED)
    except Exception as error:  # whatever the library runs into on bytes that only begin like a container
        raise LoadError(
            en=f"{name}: a damaged file of an old Office format or under a password. Open it in its program and save "
            "it without a password as .docx or .xlsx.",
            zh=f"{name}：旧版或加密的 Office 文件，且已损坏。请用原程序打开，去掉密码并另存为 .docx 或 .xlsx。",
        ) from error
