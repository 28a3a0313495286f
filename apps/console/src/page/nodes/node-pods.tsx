import { type PodUsage, podKey } from '@quartermaster/api/inventory-views';
import { useMemo } from 'react';
import type { ConsolePod } from '../../console-source.ts';
import { podPageSize, podsTopic } from '../../topics/pods-topic.ts';
import { useTopic } from '../live/use-topic.ts';
import { HeldNote } from '../parts/held-note.tsx';
import { Panel } from '../parts/panel.tsx';
import { PodTable, useHeldPods } from '../pods/pod-table.tsx';

const noPods: readonly ConsolePod[] = [];

interface NodePodsProps {
  readonly name: string;
  /** Undefined while the inventory says nothing. */
  readonly takes: readonly PodUsage[] | undefined;
}

/** The pods of the node, with what each takes of it. */
export function NodePods({ name, takes }: NodePodsProps) {
  const { news, isCurrent } = useTopic(podsTopic, { node: name, page: 0, size: podPageSize });
  const held = useHeldPods((isCurrent ? news?.rows : undefined) ?? noPods, name);
  const takesOf = useMemo(() => (takes === undefined ? undefined : new Map(takes.map((take) => [podKey(take), take]))), [takes]);
  return (
    <Panel title="Pods" source="cluster" aside={<HeldNote changes={held.changes} onRelease={held.release} />}>
      {held.rows.length === 0 ? (
        <p className="empty-line">{isCurrent ? 'No pod is placed on this node.' : 'Loading the pods …'}</p>
      ) : (
        <div className="bounded-table">
          <PodTable held={held} scope={name} ofNode={{ takesOf }} />
        </div>
      )}
    </Panel>
  );
}
