import { isFailure, type KubeWriter, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { fieldManager } from '../model/field-manager.ts';
import { placementGate } from '../model/lease-labels.ts';

/**
 * Gives a pod that waits for its place the one node where it may run, and has the scheduler go on: one write, of the state that was read, so that nothing comes between. A pod
 * that is gone, or was given a place already, is left as it is.
 */
export async function giveNode(
  writer: Pick<KubeWriter, 'patch'>,
  found: Pod | undefined,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  const gates = found?.spec?.schedulingGates ?? [];
  if (found === undefined || !gates.some((gate) => gate.name === placementGate)) return;
  const { namespace = '', name = '', resourceVersion } = found.metadata ?? {};
  const required = found.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const here = { key: 'metadata.name', operator: 'In', values: [node] };
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), here] }));
  const body = {
    metadata: { resourceVersion },
    spec: {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      schedulingGates: gates.filter((gate) => gate.name !== placementGate),
    },
  };
  try {
    await writer.patch(kinds.pods, { namespace, name }, { kind: 'merge', body }, { fieldManager, signal });
  } catch (thrown) {
    // It changed meanwhile, or went: its next event brings it back.
    if (!isFailure(thrown, 'conflict', 'not-found')) throw thrown;
  }
}
