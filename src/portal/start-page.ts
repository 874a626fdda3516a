/** The page behind `/`: says that the service runs, and nothing that a stranger should not know. */
export const START_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Login service</title>
</head>
<body>
<main>
<h1>Login service</h1>
<p>The service is running.</p>
</main>
</body>
</html>
`;
