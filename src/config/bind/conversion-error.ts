/** Why a text cannot become a value; the reason reads after "Reason:" in a report and never repeats the text itself. */
export class ConversionError {
  constructor(readonly reason: string) {}
}
