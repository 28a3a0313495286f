import { parseQuantity, StatusError, wholeValue } from '@quartermaster/kernel';

/** The part of a pod that counting its memory-backed volumes reads. */
export interface PodVolumes {
  readonly spec?:
    | {
        readonly volumes?:
          | readonly {
              readonly emptyDir?: { readonly medium?: string | undefined; readonly sizeLimit?: string | undefined } | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

/**
 * Bytes of memory-backed emptyDir volumes with a limit, which the scheduler does not count. One without a limit can take any part of the memory that its
 * containers were promised. Throws `invalid_argument` for a limit that is none.
 */
export function ramVolumeBytes(pod: PodVolumes): number {
  let bytes = 0n;
  for (const { emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.medium !== 'Memory' || !emptyDir.sizeLimit) continue;
    bytes += wholeValue(parseQuantity(emptyDir.sizeLimit));
  }
  if (bytes < 0n) throw new StatusError('invalid_argument', 'the limits of emptyDir volumes add up to less than nothing');
  return Number(bytes > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : bytes);
}
