/** A problem that the user of the demo can solve: printed as a sentence, without a stack trace. */
export class Complaint extends Error {}
