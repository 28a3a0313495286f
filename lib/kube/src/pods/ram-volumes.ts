import { parseQuantity, StatusError, wholeValue } from '@quartermaster/kernel';

/** The part of a pod that counting its memory-backed volumes reads. */
interface PodVolumes {
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

/** What marking a pod as one that has its memory-backed volumes in its requests reads of it. */
interface MarkedPod extends PodVolumes {
  readonly metadata?:
    | {
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly annotations?: Readonly<Record<string, string | undefined>> | undefined;
      }
    | undefined;
}

/** `"true"` on a pod of a lease whose memory requests contain its memory-backed volumes, so that the scheduler sees them. */
export const ramInRequestsAnnotation = 'quartermaster.dev/ram-in-requests';

/** Only pods of leases have it, which names the service of the manifest that they run. */
const serviceLabel = 'akash.network/manifest-service';

/**
 * Bytes that a pod takes for memory-backed volumes beside the memory that it requests.
 *
 * The mark makes memory count less, so that it must be worth nothing to whoever would hide some. Tenants cannot set it: the annotations of their pods are all
 * written by the provider, and nothing of a manifest becomes one. On a pod that is of no lease it means nothing. And it never makes a pod smaller than the
 * greater of its requests and its volumes, whoever wrote it.
 */
export function ramBesideRequests(pod: MarkedPod, requestedBytes: number): number {
  const bytes = ramVolumeBytes(pod);
  const { labels, annotations } = pod.metadata ?? {};
  const isMarked = annotations?.[ramInRequestsAnnotation] === 'true' && labels?.[serviceLabel] !== undefined;
  return isMarked ? Math.max(bytes - requestedBytes, 0) : bytes;
}

/**
 * Bytes of memory-backed emptyDir volumes with a limit, which the scheduler does not count. One without a limit can take any part of the memory that its
 * containers were promised. Throws `invalid_argument` for a limit that is none.
 */
function ramVolumeBytes(pod: PodVolumes): number {
  let bytes = 0n;
  for (const { emptyDir } of pod.spec?.volumes ?? []) {
    if (emptyDir?.medium !== 'Memory' || !emptyDir.sizeLimit) continue;
    bytes += wholeValue(parseQuantity(emptyDir.sizeLimit));
  }
  if (bytes < 0n) throw new StatusError('invalid_argument', 'the limits of emptyDir volumes add up to less than nothing');
  return Number(bytes > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : bytes);
}
