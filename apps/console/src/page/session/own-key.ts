const storedName = 'quartermaster-session-key';
const flowName = 'quartermaster-sign-in-key';

type KeyStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The key of the session that this page began with. Storage is shared by the tabs of an origin, and of no other port: a tab shows the key that it read
 * first, so that it is refused when another tab signed somebody else in, and does not go on as that one.
 */
export class OwnKey {
  readonly #storage: () => KeyStorage;
  #own: { readonly key: string | undefined } | undefined;

  constructor(storage: () => KeyStorage) {
    this.#storage = storage;
  }

  /** Undefined where nobody signed in. */
  get current(): string | undefined {
    this.#own ??= { key: this.#stored() };
    return this.#own.key;
  }

  /** Whether another tab signed in or out since. */
  get isReplaced(): boolean {
    return this.#stored() !== this.current;
  }

  /** Of a sign-in of this tab; undefined after signing out. */
  keep(key: string | undefined): void {
    this.#own = { key };
    if (key === undefined) this.#storage().removeItem(storedName);
    else this.#storage().setItem(storedName, key);
  }

  /** Of a sign-in that goes on at the issuer. */
  keepFlow(key: string): void {
    this.#storage().setItem(flowName, key);
  }

  /** Once. */
  takeFlow(): string | undefined {
    const key = this.#storage().getItem(flowName) ?? undefined;
    this.#storage().removeItem(flowName);
    return key;
  }

  /** Whether a change of the storage is of this key. */
  isOf({ key }: Pick<StorageEvent, 'key'>): boolean {
    return key === storedName || key === null;
  }

  #stored(): string | undefined {
    return this.#storage().getItem(storedName) ?? undefined;
  }
}

export const ownKey = new OwnKey(() => window.localStorage);
