/** Returns the value of deflated JSON. @param deflated deflated JSON, in base64 */
export const inflate = async <T>(deflated: string): Promise<T> => {
  const bytes = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return (await new Response(stream).json()) as T;
};
