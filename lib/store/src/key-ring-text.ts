import { StatusError } from '@quartermaster/kernel';

export interface RingKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

const keyBytes = 32;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const base64Form = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Never shows an entry, not even its id: with a misplaced colon that could be the key. */
export function parseKeyRing(text: string): readonly [RingKey, ...RingKey[]] {
  const keys: RingKey[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const entries = line
      .replace(/#.*/, '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    for (const entry of entries) keys.push(parseEntry(entry, index + 1, keys));
  }
  const [first, ...others] = keys;
  if (first === undefined) throw invalid('it has no key; make one with the command that generates keys');
  return [first, ...others];
}

function parseEntry(entry: string, line: number, before: readonly RingKey[]): RingKey {
  const colon = entry.indexOf(':');
  if (colon === -1) throw invalid(`line ${line}: an entry is an id, a colon and a key in base64`);
  const id = entry.slice(0, colon).trim();
  const encoded = entry.slice(colon + 1).trim();
  if (!idForm.test(id)) throw invalid(`line ${line}: an id has up to 63 letters, digits, dots, dashes and underscores`);
  const secret = base64Form.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
  if (secret.length !== keyBytes) throw invalid(`line ${line}: a key is ${keyBytes} random bytes in base64`);
  if (new Set(secret).size < 4) throw invalid(`line ${line}: the key is not random; generate one`);
  if (before.some((key) => key.id === id)) throw invalid(`line ${line}: its id is a duplicate`);
  if (before.some((key) => secret.equals(key.secret))) throw invalid(`line ${line}: its key is a duplicate; a rotation needs a new one`);
  return { id, secret };
}

function invalid(rule: string): StatusError {
  return new StatusError('invalid_argument', `the key ring cannot be read: ${rule}`);
}
