/** Returns the value of deflated JSON. @param deflated deflated JSON, in base64 */
export const inflate = async <T>(deflated: string): Promise<T> => {
  const letters = atob(deflated);
  const bytes = new Uint8Array(letters.length);
  // Uint8Array.from() with a function takes several times as long while a page starts.
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return (await new Response(stream).json()) as T;
};
