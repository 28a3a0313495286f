import { useId, useState } from 'react';
import { hostClassKind } from '../api/object-kind.ts';
import { Choices, FieldProblem } from '../parts/field-frame.tsx';
import { type DraftPath, maskPath } from './draft.ts';
import { useNamesOf } from './names-of.ts';
import { repeatedNames, rowsOfSets, type SetRow, setsOfRows } from './sized-sets.ts';
import type { ObjectForm } from './use-object-form.ts';

interface SizedSetsFieldProps {
  readonly form: ObjectForm;
  readonly path: DraftPath;
  readonly legend: string;
  readonly sets: Parameters<typeof rowsOfSets>[0];
}

/** Sets of hosts by name: as many as somebody wants, each with a class and a size. */
export function SizedSetsField({ form, path, legend, sets }: SizedSetsFieldProps) {
  const [rows, setRows] = useState(() => rowsOfSets(sets));
  const classes = useNamesOf(hostClassKind);
  const change = (next: readonly SetRow[]): void => {
    setRows(next);
    form.set(path, setsOfRows(next));
  };
  const repeated = repeatedNames(rows);
  const field = maskPath(path);
  return (
    <fieldset className="form-wide sets-field">
      <legend className="form-legend">{legend}</legend>
      {rows.map((row) => {
        const rowField = `${field}.${maskPath([row.name])}`;
        const problem = repeated.has(row.name) ? 'another set has this name: choose a different one' : form.problemOf(rowField);
        return (
          <SetRowFields
            key={row.key}
            row={row}
            classes={classes}
            problem={problem}
            onTouch={() => form.touch(rowField)}
            onChange={(changed) => change(rows.map((each) => (each.key === row.key ? changed : each)))}
            onRemove={() => change(rows.filter((each) => each.key !== row.key))}
          />
        );
      })}
      <button
        type="button"
        className="quiet-button"
        onClick={() => change([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', hostClass: '', size: '1' }])}
      >
        Add a set
      </button>
    </fieldset>
  );
}

interface SetRowFieldsProps {
  readonly row: SetRow;
  // id -> name
  readonly classes: ReadonlyMap<string, string>;
  readonly problem: string | undefined;
  readonly onTouch: () => void;
  readonly onChange: (row: SetRow) => void;
  readonly onRemove: () => void;
}

function SetRowFields({ row, classes, problem, onTouch, onChange, onRemove }: SetRowFieldsProps) {
  const id = useId();
  const shared = {
    className: 'field',
    autoComplete: 'off',
    onBlur: onTouch,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : id,
  };
  return (
    <div className="set-row">
      <input
        {...shared}
        className="field mono"
        aria-label="Name of the set"
        placeholder="name"
        spellCheck={false}
        value={row.name}
        onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
      />
      <select
        {...shared}
        aria-label={`Class of ${row.name}`}
        value={row.hostClass}
        onChange={({ currentTarget }) => onChange({ ...row, hostClass: currentTarget.value })}
      >
        <Choices choices={{ '': 'choose a class …', ...Object.fromEntries(classes) }} value={row.hostClass} />
      </select>
      <input
        {...shared}
        aria-label={`Hosts in ${row.name}`}
        inputMode="numeric"
        value={row.size}
        onChange={({ currentTarget }) => onChange({ ...row, size: currentTarget.value })}
      />
      <button type="button" className="quiet-button" aria-label={`Remove ${row.name}`} onClick={onRemove}>
        remove
      </button>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}
