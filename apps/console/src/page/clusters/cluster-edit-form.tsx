import { useState } from 'react';
import { clusterKind } from '../api/object-kind.ts';
import { countOf } from '../model/amounts.ts';
import { maskPath } from '../objects/draft.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm } from '../objects/object-form.tsx';
import { useObjectForm } from '../objects/use-object-form.ts';
import { type ClusterObject, type NodeSetLine, nodeSetLines } from './cluster-object.ts';

interface ClusterEditFormProps {
  readonly cluster: ClusterObject;
  readonly onDone: () => void;
}

/** What may change about a cluster: its name and how many hosts it shall have. Template and parameters stay what they are. */
export function ClusterEditForm({ cluster, onDone }: ClusterEditFormProps) {
  const [sets] = useState(() => nodeSetLines(cluster).filter(({ wanted }) => wanted > 0));
  const [paths] = useState(() => ['metadata.name', ...sets.map(({ name }) => sizePath(name))]);
  const form = useObjectForm<ClusterObject>({
    kind: clusterKind,
    object: cluster,
    initial: {
      metadata: { name: cluster.metadata.name },
      spec: { node_sets: Object.fromEntries(sets.map(({ name, wanted }) => [name, { size: wanted }])) },
    },
    paths,
    onSaved: onDone,
  });
  return (
    <ObjectForm form={form} action="Save changes" onCancel={onDone}>
      <FormField form={form} path="metadata.name" label="Name" isMono />
      {sets.map((set) => (
        <FormField
          key={set.name}
          form={form}
          path={sizePath(set.name)}
          field={maskPath(sizePath(set.name))}
          label={`Hosts in ${set.name}`}
          kind="number"
          hint={sizeHint(set, form.value(sizePath(set.name)))}
        />
      ))}
    </ObjectForm>
  );
}

const sizePath = (name: string): readonly string[] => ['spec', 'node_sets', name, 'size'];

/** What another size will do. */
function sizeHint({ hosts, wanted }: NodeSetLine, size: unknown): string {
  if (typeof size !== 'number' || size === wanted) return `has ${countOf(hosts.length, 'host')} now`;
  if (size >= hosts.length) return `has ${countOf(hosts.length, 'host')} now, gets ${size - hosts.length} more`;
  return `has ${countOf(hosts.length, 'host')} now: ${countOf(hosts.length - size, 'host')} will be taken from it, with all that runs there`;
}
