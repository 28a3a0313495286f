import { CompletedField } from '../filter/completed-field.tsx';
import type { Complete } from '../filter/completion.ts';

interface FilterFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly complete?: Complete | undefined;
}

/** Narrows a table down. Escape leaves it for the table. */
export function FilterField({ complete = () => undefined, ...props }: FilterFieldProps) {
  return (
    <div className="filter-box filter-field">
      <CompletedField {...props} complete={complete} />
    </div>
  );
}
