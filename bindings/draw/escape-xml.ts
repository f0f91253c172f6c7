// Text for XML: SVG and HTML take it between tags and in quotes.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What XML cannot hold: most control characters, half a pair, and two that are no characters. */
const NO_XML = /(?![\t\n\r])\p{Cc}|\p{Surrogate}|\ufffe|\uffff/gu;

/** Text that shows as itself, whatever it is. What XML cannot hold is left out. */
export const escapeXml = (text: string): string => text.replace(NO_XML, '').replace(/[&<>"']/g, (c) => entities[c]);
