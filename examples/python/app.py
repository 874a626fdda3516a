import os
import secrets
from functools import wraps

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, render_template_string, request, session, url_for

ISSUER = os.environ.get("ISSUER", "http://localhost:8080")
CLIENT_ID = os.environ.get("CLIENT_ID", "example")
PORT = int(os.environ.get("PORT", "3000"))

app = Flask(__name__)
# Signs the session cookie. Several processes need the same key: read it from a secret then.
app.secret_key = secrets.token_bytes(32)
app.config.update(SESSION_COOKIE_NAME="example", SESSION_COOKIE_SAMESITE="Lax")

login = OAuth(app).register(
    "login",
    client_id=CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)


def require_otp(view):
    """Admits users who have entered a one-time code; all others sign in with one."""

    @wraps(view)
    def guarded():
        user = session.get("user")
        if user is None:
            return sign_in()
        if "otp" not in user["amr"]:
            return 'Please set up an authenticator app, then sign in again. <a href="/sign-in">Sign in</a>', 403
        return view()

    return guarded


@app.get("/")
def home():
    return '<a href="/payments">Payments</a>'


@app.get("/sign-in")
def sign_in():
    session["return_to"] = "/" if request.path == "/sign-in" else request.path
    return login.authorize_redirect(url_for("callback", _external=True), acr_values="urn:login:acr:mfa")


@app.get("/callback")
def callback():
    try:
        token = login.authorize_access_token()  # verifies state, nonce, signature, issuer, audience and times
    except OAuthError:
        return 'The sign-in has failed. <a href="/sign-in">Try again</a>', 400
    name = login.userinfo(token=token)["preferred_username"]
    session["user"] = {"name": name, "amr": token["userinfo"]["amr"]}
    session["id_token"] = token["id_token"]
    return redirect(session.pop("return_to", "/"))


@app.get("/payments")
@require_otp
def payments():
    page = 'Payments of {{ name }} <form method="post" action="/sign-out"><button>Sign out</button></form>'
    return render_template_string(page, name=session["user"]["name"])


@app.post("/sign-out")
def sign_out():
    id_token = session.pop("id_token", None)
    session.clear()
    return login.logout_redirect(post_logout_redirect_uri=url_for("home", _external=True), id_token_hint=id_token)


if __name__ == "__main__":
    app.run("127.0.0.1", PORT)
