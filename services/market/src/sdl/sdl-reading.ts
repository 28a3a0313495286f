import type { Group, SdlFault } from '@quartermaster/api/market';

/** What an SDL says, or all that is wrong with it: told apart by `'faults' in reading`. */
export type SdlReading = SdlContent | SdlFaults;

export interface SdlContent {
  /** By gseq; `oseq` is the market's to give. */
  readonly groups: Group[];
  /** SHA-256 of the manifest, hexadecimal. */
  readonly manifestHash: string;
  /** JSON with sorted keys. It holds the environment of the services, and passwords. */
  readonly manifest: string;
}

export interface SdlFaults {
  /** 1 to 50, by line. */
  readonly faults: SdlFault[];
}
