/** Message of the error that a promise is rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

/** Message of the error that is thrown; '' if none is. */
export const errorOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};
