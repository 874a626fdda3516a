<?php
// The web server asks the login service before each request, and sets these variables: see deploy/forward-auth/nginx-php.conf.
// A value that a client sends never arrives here. Values are percent-encoded.
$user = rawurldecode($_SERVER['REMOTE_USER'] ?? '');
$amr = explode(',', $_SERVER['HTTP_REMOTE_AMR'] ?? '');

function refuse(int $status, string $message): never
{
    http_response_code($status);
    exit($message);
}

if ($user === '') {
    refuse(401, 'Please sign in.');
}
// Each page checks what it needs itself, and any other path is unknown: a comparison of the path beside the one that selects the
// page could be evaded with another spelling.
$path = rawurldecode(explode('?', $_SERVER['REQUEST_URI'])[0]);
if ($path === '/') {
    $text = "Hello $user";
} elseif ($path === '/payments') {
    if (!in_array('otp', $amr, true)) {
        refuse(403, 'Please set up an authenticator app, then sign in again.');
    }
    $text = "Payments of $user";
} else {
    refuse(404, 'There is no such page.');
}
?>
<p><?= htmlspecialchars($text) ?></p>
