import { isFailure, type KubeWriter, kinds } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { fieldManager } from '../model/field-manager.ts';
import type { Taint } from '../model/inventory-change.ts';
import { placementGate, unitLabel } from '../model/lease-labels.ts';

/**
 * Gives a pod that waits for its place the one node where it may run, records of which unit the place is, and has the scheduler go on: one write, of the state that was read, so that nothing comes between. A pod
 * that is gone, or was given a place already, is left as it is.
 */
export async function giveNode(
  writer: Pick<KubeWriter, 'patch'>,
  found: Pod | undefined,
  node: { readonly name: string; readonly unit: number; readonly toleratedTaints: readonly Taint[] },
  signal: AbortSignal,
): Promise<void> {
  const gates = found?.spec?.schedulingGates ?? [];
  if (found === undefined || !gates.some((gate) => gate.name === placementGate)) return;
  const { namespace = '', name = '', resourceVersion } = found.metadata ?? {};
  const required = found.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const here = { key: 'metadata.name', operator: 'In', values: [node.name] };
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), here] }));
  // A node may be kept for such pods by a taint. What is there stays: of a pod that exists tolerations can only be added.
  const tolerations = [
    ...(found.spec?.tolerations ?? []),
    ...node.toleratedTaints.map(({ key, value, effect }) => ({ key, operator: 'Equal', value, effect })),
  ];
  const body = {
    metadata: { resourceVersion, labels: { [unitLabel]: `${node.unit}` } },
    spec: {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      tolerations,
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
