import type { ConsolePod } from '../../console-source.ts';

export const podKey = ({ namespace, name }: ConsolePod): string => `${namespace}/${name}`;

/** All words must occur in `namespace/name` or in the node's name, whatever their case; a null phase means any. */
export function filterPods(
  pods: readonly ConsolePod[],
  { phase, query }: { readonly phase: string | null; readonly query: string },
): readonly ConsolePod[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return pods.filter((pod) => {
    const text = `${podKey(pod)} ${pod.node ?? ''}`.toLowerCase();
    return (phase === null || pod.phase === phase) && words.every((word) => text.includes(word));
  });
}
