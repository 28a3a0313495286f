/** A value that only a key ring can read. `keyId` names the key that wraps it, so that it is known which values a rotation has yet to reach. */
export interface Sealed {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}
