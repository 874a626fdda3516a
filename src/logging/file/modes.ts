/** Of folders and files of a log: for owner and group alone. */
export const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;
