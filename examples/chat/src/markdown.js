// Models write Markdown. It is not trusted: the resulting HTML has no scripts, images, styles or forms.
import DOMPurify from "dompurify";
import { marked } from "marked";

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

// Headings in answers rank below those of the page.
marked.use({
  breaks: true,
  walkTokens(token) {
    if (token.type === "heading") token.depth = Math.min(6, token.depth + 2);
  },
});

/** Converts Markdown to nodes of the page. @param {string} text @returns {DocumentFragment} */
export const markdown = (text) =>
  DOMPurify.sanitize(marked.parse(text, { async: false }), {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [
      "img",
      "picture",
      "audio",
      "video",
      "style",
      "form",
      "input",
      "button",
      "textarea",
      "select",
      "dialog",
    ],
    FORBID_ATTR: ["style", "class", "id", "name"],
    RETURN_DOM_FRAGMENT: true,
  });
