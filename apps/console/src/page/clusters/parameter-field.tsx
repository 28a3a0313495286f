import { useId, useState } from 'react';
import { maskPath } from '../objects/draft.ts';
import { FieldFrame, frameProps } from '../objects/field-frame.tsx';
import type { ObjectForm } from '../objects/use-object-form.ts';
import { isYesOrNo, parameterOf, parameterText, parameterTypeWords } from './parameter-value.ts';
import type { TemplateParameter } from './template-object.ts';

interface ParameterFieldProps {
  readonly form: ObjectForm;
  readonly parameter: TemplateParameter;
}

/** What whoever orders a cluster says about one parameter of its template. Left empty, the template's default is taken. */
export function ParameterField({ form, parameter }: ParameterFieldProps) {
  const { name, title, description, required, type, default: fallback } = parameter;
  const id = useId();
  const [text, setText] = useState('');
  const path = ['spec', 'template_parameters', name];
  const field = maskPath(path);
  const refusal = form.problemOf(field);
  // The type is always right here: a value that cannot be read is not of it.
  const problem = refusal?.includes('"@type"') === true ? `must be: ${parameterTypeWords(type)}` : refusal;
  const isNeeded = required && fallback === undefined;
  const hint = [
    description,
    parameterTypeWords(type),
    fallback === undefined ? (isNeeded ? 'must be given' : '') : `default: ${parameterText(fallback)}`,
  ]
    .filter((words) => words !== '')
    .join(' · ');
  const change = (typed: string): void => {
    setText(typed);
    form.set(path, typed === '' ? undefined : parameterOf(type, typed));
  };
  const control = { ...frameProps(id, hint, problem), className: 'field', value: text, onBlur: () => form.touch(field) };
  return (
    <FieldFrame id={id} label={title === '' ? name : title} hint={hint} problem={problem}>
      {isYesOrNo(type) ? (
        <select {...control} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="">{fallback === undefined ? 'not given' : 'as the template has it'}</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <input
          {...control}
          autoComplete="off"
          spellCheck={false}
          placeholder={parameterText(fallback)}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}
