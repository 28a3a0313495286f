import { type ReactNode, useState } from 'react';
import { parameterOf, parameterText, parameterTypes } from '../clusters/parameter-value.ts';
import type { TemplateParameter } from '../clusters/template-object.ts';
import type { ObjectForm } from '../objects/use-object-form.ts';
import { Choices, FieldFrame } from '../parts/field-frame.tsx';

interface ParametersFieldProps {
  readonly form: ObjectForm;
  readonly parameters: readonly TemplateParameter[];
}

/** A parameter as a person types it. */
interface ParameterRow {
  readonly key: number;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Empty: none. */
  readonly fallback: string;
}

const [firstType = ''] = Object.keys(parameterTypes);

/** What whoever orders a cluster can or must say. */
export function ParametersField({ form, parameters }: ParametersFieldProps) {
  const [rows, setRows] = useState(() => parameters.map(rowOf));
  const change = (next: readonly ParameterRow[]): void => {
    setRows([...next]);
    form.set('parameters', next.map(parameterOfRow));
  };
  const fresh = (): ParameterRow => ({
    key: Math.max(-1, ...rows.map(({ key }) => key)) + 1,
    name: '',
    title: '',
    description: '',
    type: firstType,
    isRequired: false,
    fallback: '',
  });
  return (
    <fieldset className="form-wide sets-field">
      <legend className="form-legend">Parameters</legend>
      {rows.map((row, index) => (
        <ParameterFields
          key={row.key}
          form={form}
          row={row}
          field={`parameters.${index}`}
          onChange={(changed) => change(rows.map((each) => (each.key === row.key ? changed : each)))}
          onRemove={() => change(rows.filter((each) => each.key !== row.key))}
        />
      ))}
      <button type="button" className="quiet-button" onClick={() => change([...rows, fresh()])}>
        Add a parameter
      </button>
    </fieldset>
  );
}

interface ParameterFieldsProps {
  readonly form: ObjectForm;
  readonly row: ParameterRow;
  /** By the API. */
  readonly field: string;
  readonly onChange: (row: ParameterRow) => void;
  readonly onRemove: () => void;
}

function ParameterFields({ form, row, field, onChange, onRemove }: ParameterFieldsProps) {
  const text = (name: 'name' | 'title' | 'description' | 'fallback', label: string, apiName: string, hint?: string): ReactNode => (
    <FieldFrame label={label} hint={hint} problem={form.problemOf(`${field}.${apiName}`)}>
      {(control) => (
        <input
          {...control}
          className="field"
          value={row[name]}
          onBlur={() => form.touch(`${field}.${apiName}`)}
          onChange={({ currentTarget }) => onChange({ ...row, [name]: currentTarget.value })}
        />
      )}
    </FieldFrame>
  );
  return (
    <div className="parameter-row">
      {text('name', 'Name of the parameter', 'name')}
      <FieldFrame label="Type" problem={form.problemOf(`${field}.type`)}>
        {(control) => (
          <select
            {...control}
            className="field"
            value={row.type}
            onChange={({ currentTarget }) => onChange({ ...row, type: currentTarget.value })}
          >
            <Choices choices={parameterTypes} value={row.type} />
          </select>
        )}
      </FieldFrame>
      {text('title', 'Its title', 'title')}
      {text('fallback', 'Default', 'default', 'optional')}
      <div className="form-wide">{text('description', 'Purpose', 'description')}</div>
      <FieldFrame label="Required" isCheck>
        {(control) => (
          <input
            {...control}
            type="checkbox"
            checked={row.isRequired}
            onChange={({ currentTarget }) => onChange({ ...row, isRequired: currentTarget.checked })}
          />
        )}
      </FieldFrame>
      <button type="button" className="quiet-button" aria-label={`Remove parameter ${row.name}`} onClick={onRemove}>
        remove
      </button>
    </div>
  );
}

function rowOf({ name, title, description, type, required, default: fallback }: TemplateParameter, key: number): ParameterRow {
  return { key, name, title, description, type, isRequired: required, fallback: parameterText(fallback) };
}

function parameterOfRow({ name, title, description, type, isRequired, fallback }: ParameterRow): TemplateParameter {
  return { name, title, description, type, required: isRequired, default: fallback === '' ? undefined : parameterOf(type, fallback) };
}
