import { useState } from 'react';
import { clusterKind } from '../api/object-kind.ts';
import { useStock } from '../claims/class-stock.ts';
import { stockWords } from '../claims/stock-words.ts';
import { countOf } from '../model/amounts.ts';
import { maskPath } from '../objects/draft.ts';
import { FormField } from '../objects/form-field.tsx';
import { ObjectForm, type ObjectFormProps } from '../objects/object-form.tsx';
import { type ObjectForm as Form, useObjectForm } from '../objects/use-object-form.ts';
import { type NodeSetLine, nodeSetLines } from '../states/node-sets.ts';
import type { ClusterObject } from './cluster-object.ts';

/** What may change about a cluster: its name and how many hosts it shall have. Template and parameters stay what they are. */
export function ClusterEditForm({ object, onSaved, onCancel }: ObjectFormProps<ClusterObject> & { readonly object: ClusterObject }) {
  const [sets] = useState(() => nodeSetLines(object).filter(({ wanted }) => wanted > 0));
  const [paths] = useState(() => ['metadata.name', ...sets.map(({ name }) => sizePath(name))]);
  const form = useObjectForm({ kind: clusterKind, object, paths, onSaved });
  return (
    <ObjectForm form={form} action="Save changes" onCancel={onCancel}>
      <FormField form={form} path="metadata.name" label="Name" isMono />
      {sets.map((set) => (
        <ChangedSize key={set.name} form={form} set={set} />
      ))}
    </ObjectForm>
  );
}

/** What another size will do, and whether there are hosts for it. */
function ChangedSize({ form, set }: { readonly form: Form; readonly set: NodeSetLine }) {
  const size = form.value(sizePath(set.name));
  const more = typeof size === 'number' ? size - set.hosts.length : 0;
  const stock = stockWords(useStock(set.hostClass), more);
  const hint = sizeHint(set, size);
  return <SizeField form={form} set={set.name} hint={more > 0 && stock !== '' ? `${hint}; ${stock}` : hint} />;
}

export const sizePath = (name: string): readonly string[] => ['spec', 'node_sets', name, 'size'];

interface SizeFieldProps {
  readonly form: Form;
  /** Its name. */
  readonly set: string;
  readonly hint: string;
}

/** How many hosts a node set shall have. */
export function SizeField({ form, set, hint }: SizeFieldProps) {
  const path = sizePath(set);
  return <FormField form={form} path={path} field={maskPath(path)} label={`Hosts in ${set}`} kind="number" hint={hint} isRequired />;
}

/** What another size will do. */
function sizeHint({ hosts, wanted }: NodeSetLine, size: unknown): string {
  if (typeof size !== 'number' || size === wanted) return `has ${countOf(hosts.length, 'host')} now`;
  if (size >= hosts.length) return `has ${countOf(hosts.length, 'host')} now, gets ${size - hosts.length} more`;
  return `has ${countOf(hosts.length, 'host')} now: ${countOf(hosts.length - size, 'host')} will be removed from it, with everything that runs on them`;
}
