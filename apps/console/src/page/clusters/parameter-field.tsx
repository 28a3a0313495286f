import { useState } from 'react';
import { maskPath } from '../objects/draft.ts';
import type { ObjectForm } from '../objects/use-object-form.ts';
import { Choices, FieldFrame } from '../parts/field-frame.tsx';
import { isYesOrNo, parameterOf, parameterText, parameterTypeWords } from './parameter-value.ts';
import type { TemplateParameter } from './template-object.ts';

interface ParameterFieldProps {
  readonly form: ObjectForm;
  readonly parameter: TemplateParameter;
}

/** What whoever orders a cluster says about one parameter of its template. Left empty, the template's default is taken. */
export function ParameterField({ form, parameter }: ParameterFieldProps) {
  const { name, title, description, required, type, default: fallback } = parameter;
  const [text, setText] = useState('');
  const path = ['spec', 'template_parameters', name];
  const field = maskPath(path);
  const refusal = form.problemOf(field);
  // The type is always right here: a value that cannot be read is not of it.
  const problem = refusal?.includes('"@type"') === true ? `must be: ${parameterTypeWords(type)}` : refusal;
  const isNeeded = required && fallback === undefined;
  const hint = [description, parameterTypeWords(type), fallback === undefined ? '' : `default: ${parameterText(fallback)}`]
    .filter((words) => words !== '')
    .join(' · ');
  const change = (typed: string): void => {
    setText(typed);
    form.set(path, typed === '' ? undefined : parameterOf(type, typed));
  };
  const shared = {
    className: 'field',
    value: text,
    onBlur: () => form.touch(field),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => change(currentTarget.value),
  };
  return (
    <FieldFrame label={title === '' ? name : title} hint={hint} problem={problem} isRequired={isNeeded}>
      {(control) =>
        isYesOrNo(type) ? (
          <select {...control} {...shared}>
            <Choices choices={{ '': fallback === undefined ? 'not set' : 'template default', true: 'yes', false: 'no' }} value={text} />
          </select>
        ) : (
          <input {...control} {...shared} placeholder={parameterText(fallback)} />
        )
      }
    </FieldFrame>
  );
}
