// Escapes text for SVG and HTML, between tags and in attributes.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that XML does not allow: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const NO_XML = /(?![\t\n\r])\p{Cc}|\p{Surrogate}|\ufffe|\uffff/gu;

/** Escapes any text, so that it is displayed literally. Characters that XML does not allow are removed. */
export const escapeXml = (text: string): string => text.replace(NO_XML, '').replace(/[&<>"']/g, (c) => entities[c]);
