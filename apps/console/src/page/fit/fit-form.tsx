import { useId } from 'react';
import { useQueryChange } from '../parts/use-query.ts';
import type { FitField, FitTexts, ReadOrder } from './fit-order.ts';

interface FitFormProps {
  readonly texts: FitTexts;
  readonly problems: ReadOrder['problems'];
  readonly models: readonly string[];
  readonly classes: readonly string[];
}

/** What one replica takes. Each change is in the address at once, and is answered at once. */
export function FitForm({ texts, problems, models, classes }: FitFormProps) {
  const change = useQueryChange();
  const field = (name: FitField, label: string, hint: string) => (
    <FitInput label={label} hint={hint} value={texts[name]} problem={problems[name]} onChange={(value) => change({ [name]: value })} />
  );
  const choice = (name: FitField, label: string, none: string, choices: readonly string[]) => (
    <FitChoice label={label} none={none} choices={choices} value={texts[name]} onChange={(value) => change({ [name]: value })} />
  );
  return (
    <div className="fit-form">
      {field('cpu', 'Cores', '8 or 500m')}
      {field('memory', 'Memory', '64Gi')}
      {field('gpus', 'GPUs', '1')}
      {choice('model', 'GPU model', 'any', models)}
      {choice('class', 'Storage class', 'none', classes)}
      {field('size', 'Storage', '100Gi')}
      {field('replicas', 'Replicas', '1')}
    </div>
  );
}

interface FitInputProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function FitInput({ label, hint, value, problem, onChange }: FitInputProps) {
  const id = useId();
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="field"
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={hint}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface FitChoiceProps {
  readonly label: string;
  readonly none: string;
  readonly choices: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FitChoice({ label, none, choices, value, onChange }: FitChoiceProps) {
  const id = useId();
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{none}</option>
        {value !== '' && !choices.includes(value) && <option value={value}>{value}</option>}
        {choices.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </div>
  );
}
