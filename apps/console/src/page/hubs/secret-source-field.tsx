import { useState } from 'react';
import { FormField } from '../objects/form-field.tsx';
import { Choices, FieldFrame } from '../parts/field-frame.tsx';
import { SecretField, type SecretFieldProps } from './secret-field.tsx';

type Source = 'value' | 'kubernetes_secret' | 'file';

// where a secret is -> in words
const sources: Readonly<Record<Source, string>> = {
  value: 'stored here, encrypted',
  kubernetes_secret: 'in a Kubernetes Secret',
  file: 'in a file',
};

/** A secret, or where it is instead, which is at the same path with `_ref`. Either way its content is never shown. */
export function SecretSourceField(props: SecretFieldProps) {
  const { form, path, label } = props;
  const reference = `${path}_ref`;
  const [first] = useState(() => ({ value: form.value(path), reference: form.value(reference) }));
  const [source, setSource] = useState<Source>(() => sourceOf(first.reference));
  const choose = (next: Source): void => {
    setSource(next);
    const isFirst = next === sourceOf(first.reference);
    form.set(reference, next === 'value' ? undefined : isFirst ? first.reference : { [next]: next === 'file' ? '' : {} });
    form.set(path, next === 'value' ? first.value : undefined);
  };
  return (
    <fieldset className="sets-field form-wide secret-source">
      <legend className="form-legend">{label}</legend>
      <FieldFrame label={`Where the ${label.toLowerCase()} is stored`}>
        {(control) => (
          <select
            {...control}
            className="field"
            value={source}
            onChange={({ currentTarget }) => choose(sourceNames.find((name) => name === currentTarget.value) ?? 'value')}
          >
            <Choices choices={sources} value={source} />
          </select>
        )}
      </FieldFrame>
      {source === 'value' && (
        <div className="form-wide">
          <SecretField {...props} />
        </div>
      )}
      {source === 'kubernetes_secret' &&
        (['namespace', 'name', 'key'] as const).map((part) => (
          <FormField
            key={part}
            form={form}
            path={`${reference}.kubernetes_secret.${part}`}
            label={`${label}: ${part} of the Secret`}
            isRequired
            isMono
          />
        ))}
      {source === 'file' && (
        <FormField form={form} path={`${reference}.file`} label={`${label}: path of the file`} placeholder="/etc/…" isMono />
      )}
    </fieldset>
  );
}

const sourceNames: readonly Source[] = ['value', 'kubernetes_secret', 'file'];

function sourceOf(reference: unknown): Source {
  if (typeof reference !== 'object' || reference === null) return 'value';
  return 'file' in reference ? 'file' : 'kubernetes_secret';
}
