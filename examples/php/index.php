<?php
// The web server asks the login service before each request, and sets these variables: see deploy/forward-auth/nginx-php.conf.
// A value that a client sends never arrives here. Values are percent-encoded.
$user = rawurldecode($_SERVER['REMOTE_USER'] ?? '');
$amr = explode(',', $_SERVER['HTTP_REMOTE_AMR'] ?? '');

if ($user === '') {
    http_response_code(401);
    exit('Please sign in.');
}
if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/payments' && !in_array('otp', $amr, true)) {
    http_response_code(403);
    exit('Please set up an authenticator app, then sign in again.');
}
?>
<p>Payments of <?= htmlspecialchars($user) ?></p>
