import { type PodUsage, podKey } from '@quartermaster/api/inventory-views';
import { useMemo } from 'react';
import type { PodRow } from '../../kubernetes-view.ts';
import { problemText } from '../api/api-error.ts';
import { Panel } from '../parts/panel.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { PodTable, useHeldPods } from '../pods/pod-table.tsx';
import { usePods } from '../pods/use-pods.ts';

const noPods: readonly PodRow[] = [];

interface NodePodsProps {
  readonly name: string;
  /** Undefined while the inventory says nothing. */
  readonly takes: readonly PodUsage[] | undefined;
}

/** The pods of the node, with what each takes of it. */
export function NodePods({ name, takes }: NodePodsProps) {
  const { list, isCurrent, problem } = usePods({ node: name });
  const held = useHeldPods((isCurrent ? list?.pods : undefined) ?? noPods, name);
  const takesOf = useMemo(() => (takes === undefined ? undefined : new Map(takes.map((take) => [podKey(take), take]))), [takes]);
  return (
    <Panel title="Pods" source="cluster" aside={<HeldNote changes={held.changes} onRelease={held.release} />}>
      {held.rows.length === 0 ? (
        <p className="empty-line">{problem === undefined ? emptyText(isCurrent) : problemText(problem)}</p>
      ) : (
        <div className="bounded-table">
          <PodTable held={held} scope={name} ofNode={{ takesOf }} />
        </div>
      )}
    </Panel>
  );
}

const emptyText = (isCurrent: boolean): string => (isCurrent ? 'No pod is placed on this node.' : 'Loading the pods …');
