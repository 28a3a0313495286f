import type { Lease } from '../generated/shapes.ts';

const annotation = 'quartermaster.dev/address';

/** Where the holder of the Lease is reached, as it says. */
export function holderAddress(lease: Lease | undefined): string | undefined {
  return lease?.metadata?.annotations?.[annotation];
}

/** With this address, or without any where it is empty: that of the holder before leads nowhere any more. */
export function withAddress(metadata: Lease['metadata'], address: string): NonNullable<Lease['metadata']> {
  const { [annotation]: _former, ...others } = metadata?.annotations ?? {};
  return { ...metadata, annotations: address === '' ? others : { ...others, [annotation]: address } };
}
