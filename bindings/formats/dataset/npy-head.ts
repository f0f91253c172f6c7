// The header of a .npy file of NumPy: magic, version, and a Python dict as text, padded to a multiple of 64 bytes.
const UNIT = 64;
const BEFORE = 10;

/** Formats numbers as a Python tuple: '(3, 4)', '(3,)'. */
export const tupleOf = (numbers: readonly number[]): string =>
  `(${numbers.length === 1 ? `${numbers[0]},` : numbers.join(', ')})`;

/**
 * Returns the header of a .npy file, padded with blanks.
 * @param type dtype as Python text: "'<i4'", or a structure "[('game', '<i4'), ('agents', '<i2', (7,))]"
 * @param shape shape of the array; its first number is that of rows
 * @param size minimum number of bytes; with a fixed size the header can be written once the number of rows is known
 */
export const npyHead = (type: string, shape: readonly number[], size: number): Buffer => {
  const text = `{'descr': ${type}, 'fortran_order': False, 'shape': ${tupleOf(shape)}, }`;
  const head = Buffer.alloc(Math.max(size, Math.ceil((BEFORE + text.length + 1) / UNIT) * UNIT), ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(head.length - BEFORE, 8);
  head.write(text, BEFORE, 'latin1');
  head.write('\n', head.length - 1);
  return head;
};
