import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { StatusError } from '@quartermaster/kernel';
import { parseKeyRing } from './key-ring-text.ts';

export { parseKeyRing, type RingKey } from './key-ring-text.ts';

/** A value that only a key ring can read. `keyId` names the key that wraps it, so that it is known which values a rotation has yet to reach. */
export interface Sealed {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

const format = 1;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** format, then the wrapped data key as nonce, ciphertext and tag; the value follows in the same form. */
const wrappedEnd = 1 + nonceBytes + keyBytes + tagBytes;
const shortest = wrappedEnd + nonceBytes + tagBytes;

interface Key {
  readonly id: string;
  /** Node takes several times as long to make a cipher from plain bytes. */
  readonly secret: KeyObject;
  /** What the data keys that it wraps are bound to. */
  readonly context: Uint8Array;
}

/**
 * Envelope encryption. Each value has a random key of its own, which encrypts it (AES-256-GCM) together with its context; a key of the ring wraps that key. So a rotation
 * wraps the small keys anew and never sees a value, and a sealed value opens in no other place than its own.
 */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, Key>; // id -> key
  readonly #current: Key;

  private constructor(keys: readonly [Key, ...Key[]]) {
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  /**
   * Reads `id:base64` entries, one per line or separated by commas; `#` begins a comment. The first key seals, all of them open. Throws `invalid_argument` that names the
   * line and shows nothing of it.
   */
  static parse(text: string): KeyRing {
    const [first, ...others] = parseKeyRing(text);
    const keyOf = ({ id, secret }: typeof first): Key => ({ id, secret: createSecretKey(secret), context: wrapContext(id) });
    return new KeyRing([keyOf(first), ...others.map(keyOf)]);
  }

  /** The text of a ring with one new key. To rotate, put it before the entries that there are. */
  static generate(): string {
    return `key-${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}\n`;
  }

  get currentKeyId(): string {
    return this.#current.id;
  }

  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** The context says what the value is, such as `hosts/4711/spec.bmc.password`; only the same context opens it. */
  seal(plain: Uint8Array, context: string): Sealed {
    const dataKey = randomBytes(keyBytes);
    const bytes = Buffer.concat([
      Buffer.of(format),
      encrypt(this.#current.secret, dataKey, this.#current.context),
      encrypt(createSecretKey(dataKey), plain, Buffer.from(context, 'utf8')),
    ]);
    dataKey.fill(0);
    return { keyId: this.#current.id, bytes };
  }

  /** Throws `failed_precondition` when its key is not in the ring, and `internal` when it was altered, cut or belongs to another context. */
  open(sealed: Sealed, context: string): Uint8Array {
    const dataKey = this.#unwrap(sealed);
    const plain = decrypt(createSecretKey(dataKey), sealed.bytes.subarray(wrappedEnd), Buffer.from(context, 'utf8'));
    dataKey.fill(0);
    return plain;
  }

  /** The same value under the current key; undefined when it is under it already. Opens the data key only, never the value. */
  rewrap(sealed: Sealed): Sealed | undefined {
    if (sealed.keyId === this.#current.id) return undefined;
    const dataKey = this.#unwrap(sealed);
    const wrapped = encrypt(this.#current.secret, dataKey, this.#current.context);
    dataKey.fill(0);
    return { keyId: this.#current.id, bytes: Buffer.concat([Buffer.of(format), wrapped, sealed.bytes.subarray(wrappedEnd)]) };
  }

  toJSON(): string {
    return this[inspect.custom]();
  }

  [inspect.custom](): string {
    return `KeyRing(${this.keyIds.join(', ')})`;
  }

  #unwrap({ keyId, bytes }: Sealed): Buffer {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new StatusError(
        'failed_precondition',
        `the key "${keyId}", under which a secret is stored, is not in the key ring; put it back (after the current one), then encrypt again before removing it`,
      );
    }
    if (bytes.length < shortest || bytes[0] !== format) throw damaged();
    return decrypt(key.secret, bytes.subarray(1, wrappedEnd), key.context);
  }
}

/** What a ring does, whoever holds it and whenever it was read. */
export type SecretKeyRing = Pick<KeyRing, 'currentKeyId' | 'keyIds' | 'seal' | 'open' | 'rewrap'>;

function wrapContext(keyId: string): Buffer {
  return Buffer.from(`quartermaster data key ${format} ${keyId}`, 'utf8');
}

function encrypt(key: KeyObject, plain: Uint8Array, context: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(context);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, bytes: Uint8Array, context: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(context)
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    // In this mode the end adds nothing, and throws when the tag does not fit.
    const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    decipher.final();
    return plain;
  } catch {
    // The cause says nothing more, and nothing of a secret may travel along.
    throw damaged();
  }
}

function damaged(): StatusError {
  return new StatusError(
    'internal',
    'a stored secret cannot be opened: it was altered, is incomplete, or belongs to another object or field; set it again',
  );
}
