import { useId } from 'react';
import { CompletedField } from '../../filter/completed-field.tsx';
import type { Complete } from '../../filter/completion.ts';
import { FieldProblem } from '../field-frame.tsx';

interface FilterFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly complete?: Complete | undefined;
  /** What is wrong with it. */
  readonly problem?: string | undefined;
  /** What else there is to say about it. */
  readonly note?: string | undefined;
}

/** Narrows a table down. Escape leaves it for the table. */
export function FilterField({ complete = () => undefined, problem, note, ...props }: FilterFieldProps) {
  const id = useId();
  return (
    <div className="filter-box filter-field">
      <CompletedField {...props} complete={complete} isInvalid={problem !== undefined} describedBy={`${id}-note`} />
      <div id={`${id}-note`}>
        <FieldProblem problem={problem} />
        {note !== undefined && <p className="filter-hint">{note}</p>}
      </div>
    </div>
  );
}
