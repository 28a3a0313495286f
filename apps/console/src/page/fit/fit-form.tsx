import { Choices, FieldFrame } from '../parts/field-frame.tsx';
import { useQueryChange } from '../parts/table/use-query.ts';
import type { FitField, FitTexts, ReadOrder } from './fit-order.ts';

interface FitFormProps {
  readonly texts: FitTexts;
  readonly problems: ReadOrder['problems'];
  readonly notes: ReadOrder['notes'];
  readonly models: readonly string[];
  readonly classes: readonly string[];
}

/** What one replica takes. Each change is in the address at once, and is answered at once. */
export function FitForm({ texts, problems, notes, models, classes }: FitFormProps) {
  const change = useQueryChange();
  const shared = (name: FitField) => ({
    className: 'field',
    value: texts[name],
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => change({ [name]: currentTarget.value }),
  });
  const field = (name: FitField, label: string, placeholder: string) => (
    <FieldFrame label={label} hint={notes[name]} problem={problems[name]}>
      {(control) => <input {...control} {...shared(name)} type="text" placeholder={placeholder} />}
    </FieldFrame>
  );
  const choice = (name: FitField, label: string, none: string, choices: readonly string[]) => (
    <FieldFrame label={label} problem={problems[name]}>
      {(control) => (
        <select {...control} {...shared(name)}>
          <Choices choices={{ '': none, ...Object.fromEntries(choices.map((each) => [each, each])) }} value={texts[name]} />
        </select>
      )}
    </FieldFrame>
  );
  return (
    <div className="fit-form">
      {field('cpu', 'Cores', '8 or 500m')}
      {field('memory', 'Memory', '64 GiB')}
      {field('gpus', 'GPUs', '1')}
      {choice('model', 'GPU model', 'any', models)}
      {field('disk', 'Ephemeral storage', '20 GiB')}
      {choice('class', 'Storage class', 'none', classes)}
      {field('size', 'Storage', '100 GiB')}
      {field('ports', 'External ports', '1')}
      {field('ips', 'Leased addresses', '0')}
      {field('replicas', 'Replicas', '1')}
    </div>
  );
}
