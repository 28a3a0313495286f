/**
 * The table in which firmware describes a machine (SMBIOS). A structure is a header of four bytes (type, length, handle), as many formatted
 * bytes as the length says, and texts, each ended by a zero byte, the last one by two.
 */
export interface SmbiosStructure {
  readonly type: number;
  /** The formatted part, header included. */
  readonly data: DataView;
  readonly texts: readonly string[];
}

const endOfTable = 127;
const maxStructures = 20_000;

/** Every structure until the table ends or stops making sense: what follows a broken one cannot be told from noise. */
export function parseSmbios(bytes: Uint8Array): SmbiosStructure[] {
  const found: SmbiosStructure[] = [];
  for (let at = 0; at + 4 <= bytes.length && found.length < maxStructures; ) {
    const type = bytes[at] ?? endOfTable;
    const length = bytes[at + 1] ?? 0;
    if (length < 4 || at + length > bytes.length) break;
    const { texts, end } = textsFrom(bytes, at + length);
    found.push({ type, data: new DataView(bytes.buffer, bytes.byteOffset + at, length), texts });
    if (type === endOfTable) break;
    at = end;
  }
  return found;
}

function textsFrom(bytes: Uint8Array, start: number): { readonly texts: string[]; readonly end: number } {
  const texts: string[] = [];
  let at = start;
  for (let from = at; at < bytes.length; at += 1) {
    if (bytes[at] !== 0) continue;
    if (at === from) {
      // A structure without texts has two zero bytes all the same.
      return { texts, end: at === start ? at + 2 : at + 1 };
    }
    texts.push(Buffer.from(bytes.subarray(from, at)).toString('latin1'));
    from = at + 1;
  }
  return { texts, end: bytes.length };
}

/** The text whose number the byte at `offset` holds; undefined when there is none or it says nothing. */
export function textAt({ data, texts }: SmbiosStructure, offset: number): string | undefined {
  const number = offset < data.byteLength ? data.getUint8(offset) : 0;
  const text = texts[number - 1]?.trim();
  return text === undefined || text === '' ? undefined : text;
}

export const byteAt = ({ data }: SmbiosStructure, offset: number): number => (offset < data.byteLength ? data.getUint8(offset) : 0);

export const wordAt = ({ data }: SmbiosStructure, offset: number): number =>
  offset + 2 <= data.byteLength ? data.getUint16(offset, true) : 0;

export const doubleWordAt = ({ data }: SmbiosStructure, offset: number): number =>
  offset + 4 <= data.byteLength ? data.getUint32(offset, true) : 0;
